"""Tells the author of a workload at once what its pods would be refused for, or wait for, later.

A pod that a controller cannot create shows up only as an event on a ReplicaSet or Job. These rules look at
the template times the number of pods and answer at `kubectl apply`: with warnings, or with a refusal where
the namespace label `resourceclass.io/enforce-workloads` is deny.

Reads the template, the number of pods and the rolling update of the workload. Silent for what a controller
owns and where `spec` has not changed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from webhook.core.mutate.adopt import adopted_template
from webhook.core.mutate.asked import unusable
from webhook.core.outcome import Fault, Outcome, Reason
from webhook.core.raw import at
from webhook.core.text import list_of, plural, shorten
from webhook.core.validate.default_quota import unsaid_default
from webhook.core.validate.devices import is_open_to, serves
from webhook.core.validate.enforce import Mode, mode_of
from webhook.core.validate.facts import WorkloadFacts
from webhook.core.validate.policy import closed_text
from webhook.core.validate.quota import limit_of, quota_name
from webhook.core.validate.scopes import counts
from webhook.core.validate.workload_shape import Workload, chooses_nodes, workload_of
from webhook.core.values.demand import demand
from webhook.core.values.names import DEFAULT_QUOTA, ENFORCE_WORKLOADS_LABEL, Json, node_label
from webhook.core.values.pod_template import has_controller, kind_of, name_of
from webhook.core.values.quantity import NANOS

_DENY: Final = "deny"


def validate_workload(obj: Json, old: Json | None, facts: WorkloadFacts) -> Outcome:
    """Return warnings, or faults where the namespace wants them, for pods that could never all run."""
    workload = workload_of(obj)
    if workload is None or has_controller(obj) or (old is not None and old.get("spec") == obj.get("spec")):
        return Outcome(object=obj)
    wanted = demand(at(workload.pod, "spec"))
    units = wanted.units
    # In the words of mutation, which sees only templates with bare names: of two alike one is shown.
    lacking = [text for _, text in unusable(wanted, facts.classes)]
    hopeless = [f"{workload}: {text}" for text in _hopeless(workload, units, facts)]
    doubtful = [*lacking, *(f"{workload}: {text}" for text in _doubtful(workload, units, facts))]
    denies = facts.namespace_labels.get(ENFORCE_WORKLOADS_LABEL) == _DENY
    if not denies or not _asks_for_more(workload, units, old):
        return Outcome(object=obj, warnings=tuple(map(shorten, hopeless + doubtful)))
    faults = tuple(Fault(Reason.WORKLOAD_CANNOT_RUN, _refused(text, facts)) for text in hopeless)
    return Outcome(object=obj, faults=faults, warnings=tuple(map(shorten, doubtful)))


def validate_adoptable_workload(obj: Json, old: Json | None, facts: WorkloadFacts, adopter: str) -> Outcome:
    """Return the same for a workload whose pods will be adopted as those of the class `adopter`."""
    adopted, refused = adopted_template(obj, adopter, facts.classes)
    before = None if old is None else adopted_template(old, adopter, facts.classes)[0]
    outcome = validate_workload(adopted, before, facts)
    warned = (shorten(f"{kind_of(obj)} {name_of(obj)}: {text}") for text in refused)
    return replace(outcome, object=obj, warnings=(*warned, *outcome.warnings))


def _refused(text: str, facts: WorkloadFacts) -> str:
    return f"{text} (namespace {facts.namespace} refuses such workloads: {ENFORCE_WORKLOADS_LABEL}: {_DENY})"


def _asks_for_more(workload: Workload, units: Mapping[str, int], old: Json | None) -> bool:
    """Whether a refusal would be fair: nobody must be kept from making a workload smaller or mending it."""
    before = workload_of(old) if old is not None else None
    if before is None:
        return True
    had = demand(at(before.pod, "spec")).units
    return any(
        _at_once(workload) * amount > _at_once(before) * had.get(name, 0) for name, amount in units.items()
    )


def _at_once(workload: Workload) -> int:
    return 1 if workload.pods is None else workload.pods


def _hopeless(workload: Workload, units: Mapping[str, int], facts: WorkloadFacts) -> Iterator[str]:
    if workload.pods == 0:
        return
    for name in sorted(units):
        yield from _over_quota(workload, name, units[name], facts)
        yield from _without_device(name, facts)
        yield from _closed(name, facts)


def _doubtful(workload: Workload, units: Mapping[str, int], facts: WorkloadFacts) -> Iterator[str]:
    if workload.pods is None and units and not chooses_nodes(workload.pod):
        labels = list_of(node_label(name) for name in sorted(units))
        yield (
            f"without a node selector its pods stay Pending on nodes without {labels}, and use quota there; "
            "add a required node affinity on that label with operator Exists"
        )
    for name in sorted(units):
        yield from _surge_over_quota(workload, name, units[name], facts)


def _over_quota(workload: Workload, name: str, amount: int, facts: WorkloadFacts) -> Iterator[str]:
    pods = _at_once(workload)
    for quota, limit in _limits(workload, name, facts):
        if pods * amount <= limit:
            continue
        fitting = limit // amount
        end = f"no more than {plural(fitting, 'pod')} can run at once" if fitting else "no pod can be created"
        each = f"{plural(pods, 'pod')} of {amount}" if workload.pods is not None else f"a pod of {amount}"
        yield f"quota {quota} allows {limit} of class {name}, and {each} would need {pods * amount}: {end}"


def _surge_over_quota(workload: Workload, name: str, amount: int, facts: WorkloadFacts) -> Iterator[str]:
    needed = _at_once(workload) * amount
    more = workload.surge * amount
    for quota, limit in _limits(workload, name, facts):
        if more and needed <= limit < needed + more:
            yield (
                f"a rolling update would need {needed + more} of class {name}, quota {quota} allows {limit}, "
                "and the rollout would hang; write maxSurge: 0 and maxUnavailable: 1 into its strategy"
            )


def _limits(workload: Workload, name: str, facts: WorkloadFacts) -> Iterator[tuple[str, int]]:
    for quota in sorted(facts.quotas, key=quota_name):
        limit = limit_of(quota, name)
        if limit is not None and counts(quota, workload.pod):
            yield quota_name(quota), limit.nanos // NANOS
    default = unsaid_default(name, facts)
    if default is not None:
        yield DEFAULT_QUOTA, default


def _without_device(name: str, facts: WorkloadFacts) -> Iterator[str]:
    wanted = facts.classes.get(name)
    if wanted is None or not facts.device_kinds:
        return
    if not any(serves(kind, wanted) for kind in facts.device_kinds):
        yield f"no device in the cluster can serve class {name}: its pods will stay Pending"


def _closed(name: str, facts: WorkloadFacts) -> Iterator[str]:
    wanted = facts.classes.get(name)
    if wanted is None or wanted.namespaces is None or mode_of(facts.namespace_labels) is not Mode.DENY:
        return
    if not is_open_to(wanted, facts.namespace_labels):
        yield closed_text(name, wanted.namespaces, facts)
