"""Which nodes no pod can tell apart: those whose devices can be paired, each with its like in the same use.

A cluster has thousands of nodes, but few kinds of them, and of eight devices of one kind it matters how many
are free and not which. What was found for one node holds for all nodes of its state. Nodes with strangers are
alike only where these may be in the same places.
"""

from collections.abc import Hashable
from functools import reduce
from operator import or_

from webhook.core.placement.node import Node
from webhook.core.placement.requests import PodRequests

_WHOLE = -1


def state_of(node: Node) -> Hashable:
    """Return what verdicts and scores depend on: of one Membership, equal for nodes that are alike."""
    if node.strangers:
        return node.is_blocked, tuple(_uses(node)), node.strangers
    return node.is_blocked, tuple(sorted(_uses(node)))


def state_for(pod: PodRequests, node: Node) -> Hashable:
    """Return the same for one pod: what it cannot use does not matter."""
    if node.strangers:
        return state_of(node)
    usable = reduce(or_, (node.devices.serving.get(item.class_name, 0) for item in pod.requests), 0)
    return node.is_blocked, tuple(sorted(use for index, use in enumerate(_uses(node)) if usable >> index & 1))


def common_order(node: Node) -> list[int]:
    """Return the devices in an order in which nodes that are alike show the same, one device after the other.

    A search that is cut off then ends alike on all of them.
    """
    uses = _uses(node)
    return sorted(range(len(uses)), key=uses.__getitem__)


def _uses(node: Node) -> list[tuple[int, int]]:
    """Return the kind of each device, and the bytes of it in use."""
    whole = node.whole
    return [
        (kind, _WHOLE if whole >> index & 1 else used)
        for index, (kind, used) in enumerate(zip(node.devices.kinds, node.used_bytes, strict=True))
    ]
