"""The sentence with which a pod is refused for its namespace's quota.

It begins with the API server's own words, `exceeded quota: <quota>, requested: k=1, used: k=2, limited: k=2`,
by which controllers and workflow engines know that a later try may succeed, and goes on for the person who
reads it: who asks, who holds what is used, and what would fit instead.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from webhook.core.mutate.adopt import adopted_resource, why_adopted
from webhook.core.outcome import Fault, Reason
from webhook.core.text import list_of, plural
from webhook.core.validate.devices import alternatives
from webhook.core.validate.facts import PodFacts
from webhook.core.validate.limit_range import given_by_limit_range
from webhook.core.validate.quota import QuotaFinding, judge
from webhook.core.values.containers import LIMITS
from webhook.core.values.demand import Demand
from webhook.core.values.names import ADOPT_LABEL, Json, stored_key
from webhook.core.values.quantity import NANOS
from webhook.core.values.usage import Usage

# A refusal is read in a terminal or an event (1,024 characters at most): the largest users tell enough.
_MOST_PODS: Final = 3
_MOST_ALTERNATIVES: Final = 3


def quota_faults(pod: Json, demand: Demand, facts: PodFacts) -> Iterator[Fault]:
    """Yield a fault for every limit of every quota that the pod does not fit."""
    lacking = judge(pod, demand.units, facts.quotas) if facts.lacking is None else facts.lacking
    for finding in lacking:
        if finding.ready:
            details = "; ".join(_details(finding, pod, demand, facts))
            yield Fault(Reason.QUOTA_EXCEEDED, f"{exceeded(finding)} - {details}", finding.quota)
        else:
            yield Fault(Reason.QUOTA_NOT_READY, _not_ready(finding))


def exceeded(finding: QuotaFinding) -> str:
    """Return the API server's own words for a limit that is broken."""
    key = finding.key
    return (
        f"exceeded quota: {finding.quota}, requested: {key}={finding.requested}, "
        f"used: {key}={finding.used}, limited: {key}={finding.limited}"
    )


def _not_ready(finding: QuotaFinding) -> str:
    # "exceeded quota" stands here too: workflow engines try again only after a refusal with these words.
    return (
        f"quota {finding.quota} is being computed, retry in a few seconds: its status does not carry the "
        f"limit {finding.key}={finding.limited} yet, so nobody can say whether a request of "
        f"{finding.requested} has exceeded quota {finding.quota}; if this lasts, ask an administrator "
        "whether kube-controller-manager runs"
    )


def _details(finding: QuotaFinding, pod: Json, demand: Demand, facts: PodFacts) -> Iterator[str]:
    yield _asking(finding, demand)
    yield _room(finding)
    if facts.usage is not None:
        users = [use for use in facts.usage if use.class_name == finding.class_name]
        yield from _users(finding, users)
    yield from _limit_range(finding, pod)
    yield from _adopted(finding, demand, facts)
    others = alternatives(pod, demand.units, finding.class_name, facts)
    if others:
        yield f"there is room for {list_of(others, _MOST_ALTERNATIVES)}, which the same devices serve"


def _asking(finding: QuotaFinding, demand: Demand) -> str:
    name = finding.class_name
    parts = [item for item in demand.by_container if name in item.units]
    listed = list_of(f"{item.ref.name} ({item.units[name]})" for item in parts)
    text = f"class {name} is asked for by {'container' if len(parts) == 1 else 'containers'} {listed}"
    if sum(item.units[name] for item in parts) != finding.requested:
        text += ", not all at the same time"
    return text


def _room(finding: QuotaFinding) -> str:
    limit = finding.limited.nanos // NANOS
    if limit == 0:
        return "the quota allows none of it"
    if finding.requested > limit:
        return f"the quota never allows more than {limit} at once"
    return f"{finding.left} of {limit} left" if finding.left else f"none of {limit} left"


def _users(finding: QuotaFinding, users: Sequence[Usage]) -> Iterator[str]:
    largest = sorted(users, key=lambda use: (-use.units, use.pod))
    if largest:
        pods = list_of((f"{use.pod} ({use.units})" for use in largest), _MOST_PODS)
        yield f"in use by {'pod' if len(largest) == 1 else 'pods'} {pods}"
    held = sum(use.units for use in users)
    if finding.used.nanos > held * NANOS:
        yield (
            f"the API server counts {finding.used} though {plural(held, 'unit')} can be seen in use: "
            "it counts anew within minutes"
        )


def _limit_range(finding: QuotaFinding, pod: Json) -> Iterator[str]:
    given = given_by_limit_range(pod, finding.class_name)
    if given:
        yield (
            f"a LimitRange of the namespace gave the class to {list_of(given)}: where none is needed, "
            f'write {stored_key(finding.class_name)}: "0" into the limits'
        )


def _adopted(finding: QuotaFinding, demand: Demand, facts: PodFacts) -> Iterator[str]:
    adopter = facts.classes.get(finding.class_name)
    if adopter is None or facts.namespace_labels.get(ADOPT_LABEL) != adopter.name:
        return
    asking = (item.ref for item in demand.by_container if adopter.name in item.units)
    if any(adopted_resource(adopter) in ref.amounts(LIMITS) for ref in asking):
        yield why_adopted(adopter)
