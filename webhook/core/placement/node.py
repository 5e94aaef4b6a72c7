"""A node as placement sees it: its devices, the classes they belong to, and what they carry.

`NodeDevices` changes when a device or a class changes, `Node` when a pod comes or goes: the second is made
from the first in some microseconds, without looking at a selector.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from webhook.core.placement.bits import bits, mask_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.uses import Use
from webhook.core.values.extended_resource import NUMA_NODE, PCIE_ROOT, ExtendedResource


class Room(NamedTuple):
    """What is left on the devices of a node."""

    empty: int  # devices that nothing uses: they can be given whole
    left: tuple[int, ...]  # bytes per device; 0 where no share can be cut

    def take(self, devices: int, memory_bytes: int | None) -> "Room":
        """Return the room once `memory_bytes` of each of these devices are taken, or the whole of them."""
        left = list(self.left)
        for index in bits(devices):
            left[index] = 0 if memory_bytes is None else left[index] - memory_bytes
        return Room(self.empty & ~devices, tuple(left))


class Strangers(NamedTuple):
    """Pods that hold so many whole devices of a set, nobody knows which."""

    devices: int
    units: int


@dataclass(frozen=True, slots=True)
class NodeDevices:
    """The devices of one node, by id. Sets of devices are bits."""

    name: str
    devices: tuple[ExtendedResource, ...]
    index: Mapping[str, int]
    kinds: tuple[int, ...]  # per device: equal numbers for those that no pod can tell apart while unused
    serving: Mapping[str, int]  # class to the devices that belong to it, the unhealthy ones too
    healthy: int
    scarcity: tuple[tuple[int, int, int], ...]  # per device: the greater, the later it should be taken
    pcie_roots: tuple[int, ...]  # where known, those of at least two devices
    numa_nodes: tuple[int, ...]

    @property
    def domains(self) -> tuple[int, ...]:
        """The sets of devices that are close to each other."""
        return self.pcie_roots + self.numa_nodes


@dataclass(frozen=True, slots=True)
class Node:
    """What the devices of a node carry.

    `conflicts` are ids that more pods claim than the device can bear. `strangers` are among the devices that
    `room` calls empty: strangers.py says what that leaves.
    """

    devices: NodeDevices
    whole: int
    used_bytes: tuple[int, ...]
    room: Room
    conflicts: tuple[str, ...] = ()
    strangers: tuple[Strangers, ...] = ()
    is_blocked: bool = False


def node_devices(
    name: str,
    devices: Iterable[ExtendedResource],
    membership: Membership,
    sizes: Mapping[str, int] | None = None,
) -> NodeDevices:
    """Put the devices of a node together.

    `sizes` are the devices per class in the cluster, which say what is scarce; else those of the node count.
    Two objects of one device id are one device, and a sick one if either says so.
    """
    own = _distinct(devices)
    classes = [membership.of(device.properties) for device in own]
    serving: dict[str, int] = {}
    for index, names in enumerate(classes):
        for class_name in names:
            serving[class_name] = serving.get(class_name, 0) | 1 << index
    pcie_roots, numa_nodes = _domains(own, PCIE_ROOT), _domains(own, NUMA_NODE)
    kinds = (
        membership.kind(
            (
                names,
                device.memory_bytes,
                device.is_healthy,
                _places(index, pcie_roots),
                _places(index, numa_nodes),
            )
        )
        for index, (device, names) in enumerate(zip(own, classes, strict=True))
    )
    return NodeDevices(
        name=name,
        devices=own,
        index={device.device_id: index for index, device in enumerate(own)},
        kinds=tuple(kinds),
        serving=serving,
        healthy=mask_of(index for index, device in enumerate(own) if device.is_healthy),
        scarcity=_scarcity(own, serving, sizes or {}),
        pcie_roots=pcie_roots,
        numa_nodes=numa_nodes,
    )


def loaded(
    devices: NodeDevices,
    uses: Iterable[Use],
    *,
    strangers: Iterable[Strangers] = (),
    is_blocked: bool = False,
) -> Node:
    """Return the node with what its pods take.

    `strangers` hold devices of which nothing else is used. `is_blocked` says that what one of the pods holds
    is not known at all. A use of a device that the node has not, or no longer, is passed over.
    """
    wholes: Counter[int] = Counter()
    used = [0] * len(devices.devices)
    for use in uses:
        index = devices.index.get(use.device)
        if index is None:
            continue
        if use.memory_bytes is None:
            wholes[index] += 1
        else:
            used[index] += use.memory_bytes
    whole = mask_of(wholes)
    conflicts = tuple(
        device.device_id
        for index, device in enumerate(devices.devices)
        if wholes[index] > 1 or (used[index] and (wholes[index] or used[index] > (device.memory_bytes or 0)))
    )
    room = _room(devices, whole, used)
    return Node(devices, whole, tuple(used), room, conflicts, _among(room.empty, strangers), is_blocked)


def _among(empty: int, strangers: Iterable[Strangers]) -> tuple[Strangers, ...]:
    """Put strangers that may hold the same devices together, and count no more of them than could be."""
    units: Counter[int] = Counter()
    for item in strangers:
        units[item.devices & empty] += item.units
    return tuple(
        Strangers(devices, min(count, devices.bit_count()))
        for devices, count in sorted(units.items())
        if devices and count
    )


def _room(devices: NodeDevices, whole: int, used: list[int]) -> Room:
    usable = devices.healthy & ~whole
    left = tuple(
        max((device.memory_bytes or 0) - used[index], 0) if usable >> index & 1 else 0
        for index, device in enumerate(devices.devices)
    )
    return Room(usable & ~mask_of(index for index, taken in enumerate(used) if taken), left)


def _distinct(devices: Iterable[ExtendedResource]) -> tuple[ExtendedResource, ...]:
    found: dict[str, ExtendedResource] = {}
    for device in sorted(devices, key=lambda item: (item.device_id, item.is_healthy, item.name)):
        found.setdefault(device.device_id, device)
    return tuple(found.values())


def _scarcity(
    devices: tuple[ExtendedResource, ...], serving: Mapping[str, int], sizes: Mapping[str, int]
) -> tuple[tuple[int, int, int], ...]:
    """Rank devices by the classes that need them: those of few devices, then many classes, then memory."""
    size = {name: sizes.get(name, mask.bit_count()) for name, mask in serving.items()}
    found = []
    for index, device in enumerate(devices):
        own = [size[name] for name, mask in serving.items() if mask >> index & 1]
        found.append((-min(own, default=0), len(own), device.memory_bytes or 0))
    return tuple(found)


def _domains(devices: tuple[ExtendedResource, ...], key: str) -> tuple[int, ...]:
    masks: dict[str, int] = {}
    for index, device in enumerate(devices):
        place = device.properties.get(key)
        if place:
            masks[place] = masks.get(place, 0) | 1 << index
    return tuple(mask for _, mask in sorted(masks.items()) if mask.bit_count() > 1)


def _places(device: int, domains: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(number for number, mask in enumerate(domains) if mask >> device & 1)
