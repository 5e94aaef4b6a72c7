"""How many units of each class a node has, and how many of them are in use.

A unit of a class without share is a device; of a class with one it is a share of a device's memory, whole
shares only. Sick devices do not count. Classes that overlap count each for itself: which of them gets a
device is decided when a pod is placed.

Two numbers may not fall while pods need them, because a kubelet that restarts admits its pods again and kills
those that do not fit: the capacity stays at what the node's unfinished pods use, the label at what the
largest of them needs. Units that a pod holds on a sick device, or on one that is gone, are stranded: they
count on top of what the healthy devices serve, or the pod would seem to use one of these.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from webhook.core.inventory.holdings import NO_HOLDINGS, Holdings
from webhook.core.placement.membership import Membership
from webhook.core.raw import at
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json
from webhook.core.values.resource_class import DEVICE_PLUGIN, ResourceClass
from webhook.core.values.usage import FINISHED


@dataclass(frozen=True, slots=True)
class ClassUnits:
    """One class on one node. `is_registered` when a device plugin tells the kubelet the capacity itself."""

    units: int  # what the healthy devices of the empty node could serve
    in_use: int = 0  # by the unfinished pods of the node
    largest: int = 0  # what the node affinity of one of them needs the label to reach
    stranded: int = 0  # of those in use, the units on devices that are sick or gone
    is_registered: bool = False

    @property
    def label(self) -> int:
        """The value of the node label."""
        return max(self.units, self.largest)

    @property
    def capacity(self) -> int:
        """The capacity and allocatable of the class."""
        return max(self.units + self.stranded, self.in_use)


@dataclass(frozen=True, slots=True)
class InUse:
    """What the unfinished pods of one node use, by class."""

    total: Mapping[str, int]
    largest: Mapping[str, int]


def in_use(pods: Iterable[Json], classes: Classes) -> InUse:
    """Count what pods of one node use. Finished ones use nothing; terminating ones do."""
    total: Counter[str] = Counter()
    largest: Counter[str] = Counter()
    for pod in pods:
        if at(pod, "status").get("phase") in FINISHED:
            continue
        asked = demand(pod.get("spec"))
        total.update(asked.units)
        shares = {name for name in asked.units if (known := classes.get(name)) and known.is_share}
        largest |= Counter(
            {name: (asked.largest if name in shares else asked.units)[name] for name in asked.units}
        )
    return InUse(dict(total), dict(largest))


def node_units(
    devices: Iterable[ExtendedResource],
    pods: Iterable[Json],
    classes: Classes,
    membership: Membership,
    held: Holdings = NO_HOLDINGS,
) -> dict[str, ClassUnits]:
    """Return the units of each class that a device of the node belongs to or a pod of it uses, by class name.

    `devices`, `pods` and what they hold are those of one node; `membership` is that of `classes`.
    """
    units: dict[str, int] = {}
    distinct = tuple(_distinct(devices))
    stranded = _stranded(held, {device.device_id for device in distinct if device.is_healthy}, classes)
    for device in distinct:
        for name in membership.of(device.properties):
            units[name] = units.get(name, 0) + _units_of(device, classes.get(name))
    used = in_use(pods, classes)
    return {
        name: ClassUnits(
            units=units.get(name, 0),
            in_use=used.total.get(name, 0),
            largest=used.largest.get(name, 0),
            stranded=min(stranded[name], used.total.get(name, 0)),
            is_registered=_is_registered(classes.get(name)),
        )
        for name in sorted({*units, *used.total})
    }


def _stranded(held: Holdings, healthy: AbstractSet[str], classes: Classes) -> Counter[str]:
    """Count the units by the class that they were asked for, on devices that are not healthy."""
    stranded: Counter[str] = Counter()
    for (_, device_id), item in held.by_device.items():
        for holder in item.holders if device_id not in healthy else ():
            known = classes.get(holder.class_name)
            share = known.share_memory_bytes if known else None
            stranded[holder.class_name] += (holder.memory_bytes or 0) // share if share else 1
    return stranded


def _units_of(device: ExtendedResource, resource_class: ResourceClass | None) -> int:
    if resource_class is None or not device.is_healthy:
        return 0
    share = resource_class.share_memory_bytes
    return 1 if share is None else (device.memory_bytes or 0) // share


def _is_registered(resource_class: ResourceClass | None) -> bool:
    return resource_class is not None and resource_class.delivery == DEVICE_PLUGIN


def _distinct(devices: Iterable[ExtendedResource]) -> Iterable[ExtendedResource]:
    """Return each device id once; it is sick if any object of it says so."""
    found: dict[str, ExtendedResource] = {}
    for device in devices:
        known = found.get(device.device_id)
        if known is None or not device.is_healthy:
            found[device.device_id] = device
    return found.values()
