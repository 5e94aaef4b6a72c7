"""What validation must know beside the object itself, as plain data; `webhook.admission` fills it in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from webhook.core.validate.quota import QuotaFinding
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind
from webhook.core.values.names import Json
from webhook.core.values.usage import Usage


@dataclass(frozen=True, slots=True)
class WorkloadFacts:
    """What the rules for a Deployment, Job and the like must know of the cluster and of one namespace."""

    classes: Classes
    namespace: str
    namespace_labels: Mapping[str, str] = field(default_factory=dict)
    quotas: Sequence[Json] = ()
    """The ResourceQuota objects of the namespace, raw."""
    device_kinds: Sequence[DeviceKind] = ()
    """The kinds of device in the cluster; empty while there is no inventory, which then decides nothing."""


@dataclass(frozen=True, slots=True)
class PodFacts(WorkloadFacts):
    """What the rules for a pod must know."""

    usage: Sequence[Usage] | None = None
    """The unfinished pods of the namespace that ask for a class. Only the text of a refusal rests on it, so
    None (nobody has asked) is right until there is something to refuse."""
    lacking: Sequence[QuotaFinding] | None = None
    """What `judge` says of the pod and the quotas, where it was asked already."""
