"""All rules for a pod that is created, judged on the state in which it would be stored.

Mirror pods of static pods never get here: the kubelet runs them whatever the API server says.
"""

from typing import Final

from webhook.core.mutate.isolate import mutate_isolated
from webhook.core.mutate.pod import mutate_adoptable, mutate_pod
from webhook.core.outcome import Outcome, Reason, refuse
from webhook.core.raw import at
from webhook.core.settings import PodSettings
from webhook.core.validate.default_quota import default_quota
from webhook.core.validate.facts import PodFacts
from webhook.core.validate.final_state import final_ephemeral_state, final_state
from webhook.core.validate.node_name import node_name
from webhook.core.validate.policy import policy
from webhook.core.validate.quota_text import quota_faults
from webhook.core.values.classes import Classes
from webhook.core.values.demand import Demand, demand
from webhook.core.values.names import Json

# What a class says decides these. The replica that mutated the pod may have known a newer one.
CLASS_REASONS: Final = frozenset(
    {
        Reason.NOT_FINAL,
        Reason.CANNOT_ADOPT,
        Reason.CONFLICTING_CLASSES,
        Reason.NAMESPACE_NOT_ALLOWED,
        Reason.DEFAULT_QUOTA_MISSING,
    }
)


def validate_pod(
    pod: Json, facts: PodFacts, settings: PodSettings, *, isolated: bool = False, asked: Demand | None = None
) -> Outcome:
    """Return every fault of a pod. The mode of the namespace is not applied yet: see `enforce`.

    In an isolated namespace pods that ask for no class are judged too. `asked` spares counting again.
    """
    asked = demand(at(pod, "spec")) if asked is None else asked
    return refuse(
        pod,
        [
            *final_state(pod, mutate_pod(pod, facts.classes, settings, isolated=isolated)),
            *node_name(pod, asked),
            *policy(pod, asked.units, facts),
            *quota_faults(pod, asked, facts),
            *default_quota(asked.units, facts),
        ],
    )


def validate_adoptable(pod: Json, classes: Classes, settings: PodSettings, adopter: str) -> Outcome:
    """Return the fault of a pod that asks for no class where it should have been adopted as one of `adopter`.

    What was adopted asks for a class, and is judged as every class pod.
    """
    made = mutate_adoptable(pod, classes, settings, adopter)
    return refuse(pod, final_state(pod, made))


def validate_ephemeral(pod: Json, old: Json, classes: Classes) -> Outcome:
    """Return the faults of the ephemeral containers that an update adds in an isolated namespace."""
    return refuse(pod, final_ephemeral_state(pod, mutate_isolated(pod, classes, old)))


def rests_on_class(outcome: Outcome) -> bool:
    """Whether a refusal rests on what a class says, which should be read afresh before it is given."""
    return any(fault.reason in CLASS_REASONS for fault in outcome.faults)
