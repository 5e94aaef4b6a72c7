"""Which devices a pod should get of those that it could get.

First those that its init containers can use as well: they are the pod's until it ends. Then those that
special classes need least, so that a pod which fits anywhere does not take the one device that another waits
for. Then those whose PCIe root or NUMA node is in use already, so that whole ones stay for pods of several
devices.

A container's own devices should lie under one PCIe root, or else in one NUMA node, where these are known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from webhook.core.placement.node import Node
from webhook.core.placement.packing import Order, Want
from webhook.core.placement.problem import Problem, solve
from webhook.core.placement.requests import PodRequests


def preferred_order(pod: PodRequests, problem: Problem, node: Node) -> Order:
    """Return the devices of the node, the best for this pod first."""
    running = set(pod.moments[0])
    passing = [want.devices for index, want in enumerate(problem.wants) if index not in running]
    reusable = reduce(or_, passing, 0)
    devices = node.devices

    def rank(device: int) -> tuple[bool, tuple[int, int, int], int, int]:
        empty_around = [
            (domain & node.room.empty).bit_count() for domain in devices.domains if domain >> device & 1
        ]
        return not reusable >> device & 1, devices.scarcity[device], sum(empty_around), device

    return Order(sorted(range(len(devices.devices)), key=rank))


def keep_local(pod: PodRequests, problem: Problem, node: Node, order: Order) -> Problem:
    """Narrow the wants of each container to one PCIe root or NUMA node, where all still fit."""
    for positions in _containers(pod):
        for domain in _domains_by_room(node, problem, positions):
            narrowed = _narrowed(problem, positions, domain)
            if solve(narrowed, order) is not None:
                problem = narrowed
                break
    return problem


def _containers(pod: PodRequests) -> Iterator[list[int]]:
    """Yield the requests of each container that gets several devices, those of the most devices first."""
    positions: dict[str, list[int]] = {}
    for index, item in enumerate(pod.requests):
        positions.setdefault(item.container, []).append(index)
    counts = {name: sum(_devices_of(pod, index) for index in own) for name, own in positions.items()}
    for name in sorted(positions, key=lambda name: -counts[name]):
        if counts[name] > 1:
            yield positions[name]


def _devices_of(pod: PodRequests, index: int) -> int:
    return pod.requests[index].units if pod.requests[index].memory_bytes is None else 1


def _domains_by_room(node: Node, problem: Problem, positions: Sequence[int]) -> list[int]:
    """Return the domains that could hold these wants: PCIe roots first, and of one kind the fullest."""
    wants = [problem.wants[index] for index in positions]

    def by_room(domains: Sequence[int]) -> list[int]:
        fitting = [domain for domain in domains if all(_has_room(want, domain) for want in wants)]
        return sorted(fitting, key=lambda domain: ((domain & node.room.empty).bit_count(), domain))

    return by_room(node.devices.pcie_roots) + by_room(node.devices.numa_nodes)


def _has_room(want: Want, domain: int) -> bool:
    return (want.devices & domain).bit_count() >= want.units


def _narrowed(problem: Problem, positions: Sequence[int], domain: int) -> Problem:
    wants = tuple(
        replace(want, devices=want.devices & domain) if index in positions else want
        for index, want in enumerate(problem.wants)
    )
    return replace(problem, wants=wants)
