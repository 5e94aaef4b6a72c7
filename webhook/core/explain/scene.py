"""Everything that an explanation rests on, and what it is: plain data of one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from webhook.core.explain.told import Told
from webhook.core.inventory.holdings import Holdings
from webhook.core.placement.node import Node
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.placement.requests import PodRequests, pod_requests
from webhook.core.raw import as_text, at
from webhook.core.values.classes import Classes
from webhook.core.values.demand import Demand, demand
from webhook.core.values.names import Json

# A scheduler that gives its Lease up leaves it without a holder; one that is lost does not renew it. The
# clocks of the machine that asks and of the one that renews may differ by more than a Lease lasts.
SKEW_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The scheduler's Lease: `age_seconds` since it was renewed, None where that means nothing."""

    place: str  # namespace/name
    holder: str
    age_seconds: float | None
    duration_seconds: int

    @property
    def is_held(self) -> bool:
        """Whether a scheduler runs, as far as the Lease tells."""
        limit = self.duration_seconds + SKEW_SECONDS
        return bool(self.holder) and (self.age_seconds is None or self.age_seconds <= limit)


@dataclass(frozen=True, slots=True)
class Devices:
    """What the binder knows: classes, and the nodes with devices and all that is taken of these."""

    classes: Classes = field(default_factory=Classes)
    nodes: Mapping[str, Node] = field(default_factory=dict)
    holdings: Holdings = field(default_factory=Holdings)
    pods: Mapping[str, Sequence[PodEntry]] = field(default_factory=dict)  # by node, under "" those that wait
    terminating: frozenset[str] = frozenset()  # namespace/name of pods that are being deleted


@dataclass(frozen=True)
class Scene:
    """A pod and what is around it. What could not be read is None, and named in `unread`."""

    pod: Json
    devices: Devices | None = None
    nodes: Mapping[str, Json] | None = None  # Node objects by name
    quotas: Sequence[Json] | None = None  # of the namespace
    leases: Sequence[Lease] | None = None
    events: Sequence[Told] = ()  # about the pod
    unread: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The pod as sentences name it."""
        metadata = at(self.pod, "metadata")
        return f"pod {metadata.get('namespace')}/{metadata.get('name')}"

    @property
    def node(self) -> str:
        """The node of the pod, empty while it waits."""
        return as_text(at(self.pod, "spec").get("nodeName"))

    @cached_property
    def demand(self) -> Demand:
        """What the pod asks for."""
        return demand(self.pod.get("spec"))

    @cached_property
    def requests(self) -> PodRequests:
        """What the pod asks of a node."""
        return pod_requests(self.demand, self.devices.classes if self.devices else Classes())
