"""The webhook's decisions about one review: which rules, in which order, with which facts.

Two calls make one decision. `mutate` gives the object the form in which it can be stored and accounted for;
`validate` sees what all webhooks together have made of it and judges that. Neither changes anything but its
answer, so a dry run needs no case of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from webhook.admission import lookup
from webhook.admission.lookup import InTime
from webhook.admission.ports import Cluster
from webhook.admission.subject import Subject, is_mirror_pod, subject_of
from webhook.core.mutate.isolate import mutate_isolated
from webhook.core.mutate.keys import candidate_names
from webhook.core.mutate.limit_range import mutate_limit_range
from webhook.core.mutate.pod import mutate_adoptable, mutate_pod
from webhook.core.mutate.pod_update import mutate_pod_update
from webhook.core.mutate.quota import mutate_quota
from webhook.core.mutate.template import mutate_template
from webhook.core.outcome import Outcome
from webhook.core.raw import as_text, at
from webhook.core.settings import PodSettings
from webhook.core.validate.enforce import enforce
from webhook.core.validate.facts import WorkloadFacts
from webhook.core.validate.pod import rests_on_class, validate_adoptable, validate_ephemeral, validate_pod
from webhook.core.validate.resource_class import validate_class, validate_class_delete
from webhook.core.validate.workload import validate_adoptable_workload, validate_workload
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.names import Json, is_class_name
from webhook.core.values.usage import Usage
from webhook.wire.review import Request

# The rules that rename keys: of the object, of what it was before, and of the classes there are.
_RENAMING: Final[Mapping[Subject, Callable[[Json, Json | None, Classes], Outcome]]] = {
    Subject.TEMPLATE: mutate_template,
    Subject.QUOTA: mutate_quota,
    Subject.LIMIT_RANGE: mutate_limit_range,
}
_MUTATED: Final = frozenset({*_RENAMING, Subject.POD, Subject.POD_UPDATE, Subject.EPHEMERAL_CONTAINERS})

# Of the classes of a pod, how many the audit log names: nobody uses so many in one pod, and a pod may name
# thousands that do not exist.
MOST_CLASSES_NOTED: Final = 16


def _wait() -> None:
    """No deadline: a command line waits for every read."""


class Engine:
    """Answers reviews from what a cluster holds. Safe to use from several threads.

    Both calls raise NotReady while the state of the cluster is not known yet, and ClusterUnavailable when
    something must be read afresh and cannot be: nobody is refused, and nothing passes, on old data.
    `isolated` and `adopting` say that the entry for such namespaces asks; `in_time` raises when the caller
    will not wait for one more read.
    """

    def __init__(self, cluster: Cluster, settings: PodSettings) -> None:
        self._cluster = cluster
        self._settings = settings

    def mutate(
        self, request: Request, *, isolated: bool = False, adopting: bool = False, in_time: InTime = _wait
    ) -> Outcome:
        """Return the object as it should be stored."""
        subject = subject_of(request)
        if request.object is None or subject not in _MUTATED or is_mirror_pod(request):
            return Outcome(object=request.document)
        if adopting and subject is Subject.POD:
            outcome = self._mutated_adoptable(request, in_time)
        else:
            classes = self._classes(request, in_time)
            outcome = self._mutated(subject, request.object, request.old_object, classes, isolated=isolated)
        return _noted(outcome, {} if outcome.object is request.object else {"mutation": "changed"})

    def _mutated(
        self, subject: Subject, document: Json, old: Json | None, classes: Classes, *, isolated: bool
    ) -> Outcome:
        match subject:
            case Subject.POD_UPDATE:
                return mutate_pod_update(document, old or {}, classes)
            case Subject.POD if not isolated:
                return mutate_pod(document, classes, self._settings)
            case Subject.POD if demand(at(document, "spec")):
                return mutate_pod(document, classes, self._settings, isolated=True)
            case Subject.POD | Subject.EPHEMERAL_CONTAINERS:
                return mutate_isolated(document, classes, old) if isolated else Outcome(object=document)
        return _RENAMING[subject](document, old, classes)

    def _mutated_adoptable(self, request: Request, in_time: InTime) -> Outcome:
        adopter = lookup.adopter(self._cluster, request.namespace, in_time)
        classes = self._classes(request, in_time, adopter)
        if adopter is None:
            return mutate_pod(request.document, classes, self._settings)
        return mutate_adoptable(request.document, classes, self._settings, adopter)

    def validate(
        self, request: Request, *, isolated: bool = False, adopting: bool = False, in_time: InTime = _wait
    ) -> Outcome:
        """Return whether the object, as all webhooks have left it, may be stored."""
        if is_mirror_pod(request):
            return Outcome(object=request.document)
        match subject_of(request):
            case Subject.POD if adopting:
                outcome = self._validated_adoptable(request, in_time)
            case Subject.POD:
                outcome = self._validated_pod(request, in_time, isolated=isolated)
            case Subject.EPHEMERAL_CONTAINERS if isolated:
                outcome = self._validated_ephemeral(request, in_time)
            case Subject.TEMPLATE:
                outcome = self._validated_workload(request, in_time, adopting=adopting)
            case Subject.CLASS:
                outcome = validate_class(request.document, request.old_object, self._users(request))
            case Subject.CLASS_DELETE:
                outcome = validate_class_delete(request.document, self._users(request))
            case _:
                return Outcome(object=request.document)
        return _noted(outcome, {"decision": "allowed"})

    def _validated_pod(self, request: Request, in_time: InTime, *, isolated: bool) -> Outcome:
        pod = request.document
        asked = demand(at(pod, "spec"))
        units = asked.units
        classes = self._classes(request, in_time)
        facts = lookup.pod_facts(self._cluster, request, classes, units, in_time)
        outcome = validate_pod(pod, facts, self._settings, isolated=isolated, asked=asked)
        if rests_on_class(outcome):
            facts = lookup.with_fresh_classes(self._cluster, facts, units, in_time)
            outcome = validate_pod(pod, facts, self._settings, isolated=isolated, asked=asked)
        return enforce(outcome, facts.namespace_labels).noting(_classes_asked(units))

    def _validated_adoptable(self, request: Request, in_time: InTime) -> Outcome:
        adopter = lookup.adopter(self._cluster, request.namespace, in_time)
        if adopter is None:
            return Outcome(object=request.document)
        classes = self._classes(request, in_time, adopter)
        outcome = validate_adoptable(request.document, classes, self._settings, adopter)
        if rests_on_class(outcome):
            classes = lookup.fresh_classes(self._cluster, classes, [adopter], in_time)
            outcome = validate_adoptable(request.document, classes, self._settings, adopter)
        return outcome

    def _validated_ephemeral(self, request: Request, in_time: InTime) -> Outcome:
        classes = self._classes(request, in_time)
        return validate_ephemeral(request.document, request.old_object or {}, classes)

    def _validated_workload(self, request: Request, in_time: InTime, *, adopting: bool) -> Outcome:
        adopter = lookup.adopter(self._cluster, request.namespace, in_time) if adopting else None
        classes = self._classes(request, in_time, adopter)
        facts = lookup.workload_facts(self._cluster, request.namespace, classes)
        outcome = _judged_workload(request, facts, adopter)
        if outcome.allowed:
            return outcome
        return _judged_workload(request, lookup.fresh_workload_facts(self._cluster, facts, in_time), adopter)

    def _classes(self, request: Request, in_time: InTime, adopter: str | None = None) -> Classes:
        names = candidate_names(request.document, request.kind)
        if adopter is not None and is_class_name(adopter):
            names = (adopter, *names)
        return lookup.known_classes(self._cluster, names, in_time)

    def _users(self, request: Request) -> Sequence[Usage]:
        name = request.name or as_text(at(request.document, "metadata").get("name"))
        return self._cluster.usage(name)


def _judged_workload(request: Request, facts: WorkloadFacts, adopter: str | None) -> Outcome:
    if adopter is None:
        return validate_workload(request.document, request.old_object, facts)
    return validate_adoptable_workload(request.document, request.old_object, facts, adopter)


def _classes_asked(units: Mapping[str, int]) -> dict[str, str]:
    listed = [f"{name}={amount}" for name, amount in sorted(units.items())]
    if len(listed) > MOST_CLASSES_NOTED:
        listed[MOST_CLASSES_NOTED:] = [f"{len(listed) - MOST_CLASSES_NOTED} more"]
    return {"classes": ",".join(listed)} if listed else {}


def _noted(outcome: Outcome, allowed: Mapping[str, str]) -> Outcome:
    """Return the outcome with what the audit log should say of it: `allowed`, or why it is refused.

    The two calls about a pod have an entry of the same name, and of two values for one key the API server
    keeps the first. So mutation, which never has the last word, says what it did under a key of its own.
    """
    if outcome.allowed:
        return outcome.noting(allowed)
    reasons = sorted({fault.reason.value for fault in outcome.faults})
    return outcome.noting({"decision": "refused", "reason": ",".join(reasons)})
