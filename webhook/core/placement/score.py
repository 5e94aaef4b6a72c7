"""How good a node is for a pod: 0 to 1000, so fine that one small share of many devices still counts.

600 points for fullness: Pack wants the node full, Spread wants it empty, counted by what would be taken
afterwards. 200 points for leaving alone the devices that more special classes need. 200 points for keeping
each container's devices together, under one PCIe root or in one NUMA node; none is lost where places are
unknown.
"""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Final

from webhook.core.placement.bits import bits
from webhook.core.placement.node import Node
from webhook.core.placement.place import Assignment, Grant

MAX_SCORE: Final = 1000
FULLNESS_POINTS: Final = 600
SCARCITY_POINTS: Final = 200
LOCALITY_POINTS: Final = 200


def score(node: Node, assignment: Assignment, sizes: Mapping[str, int] | None = None) -> int:
    """Return the score of a node for what it would give to a pod; the highest for a pod that gets nothing.

    `sizes` are the devices per class in the cluster, which say what is scarce; else those of the node count.
    """
    grants = assignment.grants
    if not grants:
        return MAX_SCORE
    fullness = sum(_fullness(node, assignment, grant) for grant in grants) // len(grants)
    common = sum(_is_common(node, grant, sizes or {}) for grant in grants)
    together = _kept_together(node, assignment)
    return (
        fullness
        + SCARCITY_POINTS * common // len(grants)
        + LOCALITY_POINTS * sum(together) // max(len(together), 1)
    )


def _fullness(node: Node, assignment: Assignment, grant: Grant) -> int:
    """Points for how full the devices of the grant's class would be, or how empty for Spread."""
    devices = node.devices.serving.get(grant.request.class_name, 0) & node.devices.healthy
    by_memory = grant.request.memory_bytes is not None
    taken, total = 0, 0
    for index in bits(devices):
        size = (node.devices.devices[index].memory_bytes or 0) if by_memory else 1
        total += size
        taken += min(size, _taken(node, assignment, index, size))
    full = FULLNESS_POINTS * taken // total
    return FULLNESS_POINTS - full if grant.request.is_spread else full


def _taken(node: Node, assignment: Assignment, index: int, size: int) -> int:
    """Return how much of a device would be taken: in bytes when `size` is its memory, else all or nothing."""
    own = [grant.request for grant in assignment.grants if grant.devices >> index & 1]
    if node.whole >> index & 1 or any(request.memory_bytes is None for request in own):
        return size
    # Of containers that run one after the other this counts the sum: a score may be coarse.
    return node.used_bytes[index] + sum(request.memory_bytes or 0 for request in own)


def _is_common(node: Node, grant: Grant, sizes: Mapping[str, int]) -> bool:
    """Whether no class that is more special than the one asked for needs any of these devices."""
    serving = node.devices.serving
    own = _size(node, grant.request.class_name, sizes)
    return all(not mask & grant.devices or _size(node, name, sizes) >= own for name, mask in serving.items())


def _size(node: Node, class_name: str, sizes: Mapping[str, int]) -> int:
    return sizes.get(class_name, node.devices.serving.get(class_name, 0).bit_count())


def _kept_together(node: Node, assignment: Assignment) -> list[bool]:
    """Return for each container whether its devices share a place, as far as places are known."""
    by_container: dict[str, list[int]] = {}
    for grant in assignment.grants:
        by_container.setdefault(grant.request.container, []).append(grant.devices)
    domains = node.devices.domains
    held = [reduce(or_, sets, 0) for sets in by_container.values()]
    return [
        not domains or devices.bit_count() < 2 or any(devices & ~domain == 0 for domain in domains)
        for devices in held
    ]
