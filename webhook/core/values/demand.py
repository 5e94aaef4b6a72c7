"""What a pod asks for, counted as Kubernetes counts it.

Init containers run one after the other, sidecars (init containers with restartPolicy Always) stay, then
all containers run together. The effective demand is the largest of these moments: see
k8s.io/component-helpers, resource/helpers.go, which the API server's quota uses.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from webhook.core.values.containers import INIT_CONTAINERS, ContainerRef, containers


@dataclass(frozen=True, slots=True)
class ContainerDemand:
    """The units of each class that one container asks for; at least one unit each."""

    ref: ContainerRef
    units: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a pod asks for. A class with no unit is in none of the maps."""

    units: Mapping[str, int]  # effective demand of the pod
    largest: Mapping[str, int]  # largest single container
    by_container: tuple[ContainerDemand, ...]  # only those that ask for something, init containers first

    def __bool__(self) -> bool:
        """Whether the pod asks for at least one unit."""
        return bool(self.units)


def demand(pod_spec: Any) -> Demand:
    """Count what a pod spec asks for, by its stored keys, in limits or else in requests.

    An amount that cannot count devices counts as none: the rules of mutation refuse it.
    """
    return demand_of(containers(pod_spec))


def demand_of(refs: Iterable[ContainerRef]) -> Demand:
    """Count what containers ask for, init containers first."""
    asking = tuple(ContainerDemand(ref, units) for ref in refs if not ref.is_plain and (units := ref.units()))
    if len(asking) == 1:  # as in most pods: there is nothing to add up
        return Demand(asking[0].units, asking[0].units, asking)
    return Demand(_effective(asking), _largest(asking), asking)


def _effective(asking: tuple[ContainerDemand, ...]) -> dict[str, int]:
    running: Counter[str] = Counter()  # sidecars started so far, then the containers beside them
    peak: Counter[str] = Counter()
    for item in asking:
        if item.ref.kind == INIT_CONTAINERS and not item.ref.is_sidecar:
            peak |= running + Counter(item.units)
        else:
            running.update(item.units)
            peak |= running
    return dict(peak)


def _largest(asking: tuple[ContainerDemand, ...]) -> dict[str, int]:
    largest: Counter[str] = Counter()
    for item in asking:
        largest |= Counter(item.units)
    return dict(largest)
