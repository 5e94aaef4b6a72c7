"""Refuses a class pod that is not what mutation makes of it.

A mutating webhook may be skipped (an opt-out label, a failure policy) or undone by one that is ordered after
it, and the API server does not call again one that it skipped in the first round. So the validating call asks
mutation itself: what it would still change, or refuse, the pod must not have.
"""

from typing import Final

from webhook.core.outcome import Change, Fault, Outcome, Reason
from webhook.core.patch import same
from webhook.core.raw import at
from webhook.core.text import list_of
from webhook.core.values.names import WEBHOOK_LABEL, Json

_MOST_CHANGES: Final = 3
_MOST_OF_A_PLACE: Final = 60


_AFTER_US: Final = "a webhook that runs after ResourceClass probably changed it"
_AND_IF_REFUSED: Final = "and if that is refused too, look for a webhook that sets these fields"


def final_state(pod: Json, made: Outcome) -> tuple[Fault, ...]:
    """Return the faults that mutation found in a pod, or one that says what it would still change.

    `made` is the answer of mutation about this very pod.
    """
    return _faults(pod, made, _cause(pod))


def final_ephemeral_state(pod: Json, made: Outcome) -> tuple[Fault, ...]:
    """Return the same for an update that adds ephemeral containers: the pod itself is there to stay."""
    return _faults(pod, made, f"{_AFTER_US}; add the ephemeral container again, {_AND_IF_REFUSED}")


def _faults(pod: Json, made: Outcome, cause: str) -> tuple[Fault, ...]:
    if made.faults or same(pod, made.object):
        return made.faults
    return (Fault(Reason.NOT_FINAL, f"{_difference(made.changes)}: {cause}"),)


def _difference(changes: tuple[Change, ...]) -> str:
    listed = list_of((f"{_field(change.place)} ({change.what})" for change in changes), _MOST_CHANGES)
    return f"the pod is not as ResourceClass writes it, in {listed}"


def _field(place: str) -> str:
    """Return a place, without the depths of a long one: spec.affinity.nodeAffinity says enough."""
    return place if len(place) <= _MOST_OF_A_PLACE else ".".join(place.split(".")[:3])


def _cause(pod: Json) -> str:
    if at(pod, "metadata", "labels").get(WEBHOOK_LABEL) == "ignore":
        return f"its label {WEBHOOK_LABEL}: ignore keeps ResourceClass from writing it; remove the label"
    return f"{_AFTER_US}, or the class has just changed; create the pod again, {_AND_IF_REFUSED}"
