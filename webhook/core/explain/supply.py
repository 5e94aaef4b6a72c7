"""What there is of one class in the cluster, and who holds it.

Devices are counted by what keeps them from being given: each counts once, a sick one as sick whoever
holds it. Units are what pods ask for: a whole device, or for a class with a share what fits of it into each
device.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from webhook.core.inventory.holdings import Holder, Holdings
from webhook.core.placement.bits import bits
from webhook.core.placement.matching import most
from webhook.core.placement.node import Node
from webhook.core.values.resource_class import ResourceClass


class UsedBy(NamedTuple):
    """What one namespace holds of the devices of a class, asked for under `class_name`.

    Units of the class itself; of another class whole devices, of which it may use but a part.
    """

    namespace: str
    class_name: str
    units: int


@dataclass(frozen=True, slots=True)
class Supply:
    """Devices and units of one class."""

    devices: int = 0
    nodes: int = 0  # with at least one device of the class
    unhealthy: int = 0
    too_small: int = 0  # for one share, or of unknown memory
    in_use: int = 0  # by anybody; of shared ones those that anything is taken of
    blocked: int = 0  # on nodes where a damaged record hides what is in use
    held_back: int = 0  # in use by pods without a record: a vendor's plugin, static pods
    units: int = 0  # that the healthy devices could serve if nobody used them
    free: int = 0  # units that can be given now
    used_by: tuple[UsedBy, ...] = ()
    holders: tuple[Holder, ...] = ()


NO_SUPPLY: Final = Supply()


def supply(resource_class: ResourceClass, nodes: Iterable[Node], holdings: Holdings) -> Supply:
    """Count what the nodes have of a class, and what of it is held."""
    counted: Counter[str] = Counter()
    holders: list[Holder] = []
    for node in nodes:
        mask = node.devices.serving.get(resource_class.name, 0)
        if not mask:
            continue
        counted["nodes"] += 1
        held_back = _held_back(node, mask)
        for index in bits(mask):
            device = node.devices.devices[index].device_id
            holders += holdings.of(node.devices.name, device).holders
            is_held_back = bool(held_back >> index & 1)
            counted.update(
                _counted(node, index, resource_class.share_memory_bytes, is_held_back=is_held_back)
            )
    return Supply(**counted, used_by=_used_by(resource_class, holders), holders=tuple(holders))


def _held_back(node: Node, devices: int) -> int:
    """Return those devices that pods without a record may hold at worst: the largest ones."""
    by_size = sorted(bits(devices), key=lambda index: -node.room.left[index])
    return most(node.strangers, by_size)


def _counted(node: Node, index: int, share: int | None, *, is_held_back: bool) -> Counter[str]:
    """Return what one device adds to the fields of `Supply`."""
    found = Counter(devices=1)
    is_used = bool(node.whole >> index & 1 or node.used_bytes[index] or is_held_back)
    if not node.devices.healthy >> index & 1:
        found["unhealthy"] = 1
        return found
    memory = node.devices.devices[index].memory_bytes or 0
    found["units"] = 1 if share is None else memory // share
    if not found["units"]:
        found["too_small"] = 1
    elif node.is_blocked:
        found["blocked"] = 1
    else:
        found["in_use"] = int(is_used)
        found["held_back"] = int(is_held_back)
        free = node.room.empty >> index & 1 if share is None else node.room.left[index] // share
        found["free"] = 0 if is_held_back else free
    return found


def _used_by(resource_class: ResourceClass, holders: Iterable[Holder]) -> tuple[UsedBy, ...]:
    """Add up what each namespace holds; the largest first."""
    units: Counter[tuple[str, str]] = Counter()
    for holder in holders:
        units[holder.namespace, holder.class_name] += units_of(holder, resource_class)
    ordered = sorted(units.items(), key=lambda item: (-item[1], item[0]))
    return tuple(UsedBy(namespace, name, count) for (namespace, name), count in ordered)


def units_of(holder: Holder, resource_class: ResourceClass) -> int:
    """Return how many units of the class a holder has of one device; 1 if it asked for another class."""
    share = resource_class.share_memory_bytes
    if holder.class_name != resource_class.name or share is None or holder.memory_bytes is None:
        return 1
    return max(holder.memory_bytes // share, 1)
