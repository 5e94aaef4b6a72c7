"""What a pod asks of a node: the requests of its containers, and which of them must be served at one time."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from webhook.core.placement.moments import moments
from webhook.core.values.classes import Classes
from webhook.core.values.containers import INIT_CONTAINERS
from webhook.core.values.demand import ContainerDemand, Demand
from webhook.core.values.resource_class import PACK, SPREAD, ResourceClass

# A pod may have thousands of containers, and the moments of n init containers beside n sidecars are n * n
# entries. 128 are as many as the devices that a ResourceSlice of Kubernetes may list for one node.
REQUESTS_MAX: Final = 128


@dataclass(frozen=True, slots=True)
class Request:
    """What one container asks of one class: `units` whole devices, or `memory_bytes` of one device."""

    container: str
    class_name: str
    units: int
    memory_bytes: int | None = None
    placement: str = PACK

    @property
    def is_spread(self) -> bool:
        """Whether the class wants its pods on empty nodes and devices rather than on used ones."""
        return self.placement == SPREAD


@dataclass(frozen=True, slots=True)
class PodRequests:
    """The requests of a pod in the order of its containers.

    `moments` are indexes of requests that must be served together, the running pod first. `unknown` names the
    classes that do not exist or cannot be read, `is_too_long` a pod of more than REQUESTS_MAX requests, of
    which none is kept: such pods fit nowhere.
    """

    requests: tuple[Request, ...]
    moments: tuple[tuple[int, ...], ...]
    unknown: tuple[str, ...] = ()
    is_too_long: bool = False

    @property
    def shape(self) -> Hashable:
        """What a verdict depends on: equal for the pods of one workload, whatever their containers' names."""
        asked = tuple((item.class_name, item.units, item.memory_bytes) for item in self.requests)
        return asked, self.moments, self.unknown, self.is_too_long


def pod_requests(demand: Demand, classes: Classes) -> PodRequests:
    """Return what a pod with this demand asks of a node."""
    if sum(len(item.units) for item in demand.by_container) > REQUESTS_MAX:
        return PodRequests((), (), is_too_long=True)
    requests: list[Request] = []
    groups: list[tuple[tuple[int, ...], bool]] = []  # the requests of one container, and whether it ends
    unknown: set[str] = set()
    for item in demand.by_container:
        first = len(requests)
        for name in sorted(item.units):
            resource_class = classes.get(name)
            if resource_class is None:
                unknown.add(name)
            else:
                requests.append(_request(item, resource_class))
        if len(requests) > first:
            groups.append((tuple(range(first, len(requests))), _ends(item)))
    together = tuple(tuple(chain.from_iterable(moment)) for moment in moments(groups))
    return PodRequests(tuple(requests), together, tuple(sorted(unknown)))


def _request(item: ContainerDemand, resource_class: ResourceClass) -> Request:
    units, share = item.units[resource_class.name], resource_class.share_memory_bytes
    memory_bytes = None if share is None else units * share
    return Request(item.ref.name, resource_class.name, units, memory_bytes, resource_class.placement)


def _ends(item: ContainerDemand) -> bool:
    return item.ref.kind == INIT_CONTAINERS and not item.ref.is_sidecar
