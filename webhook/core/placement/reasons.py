"""Why a node cannot serve a pod, in texts that a scheduler can add up over thousands of nodes.

They name classes and count devices by cause, in a fixed order, and never name a device or a node: nodes in
the same state give the same text.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from webhook.core.placement.bits import bits
from webhook.core.placement.matching import most
from webhook.core.placement.node import Node
from webhook.core.placement.requests import PodRequests, Request
from webhook.core.text import list_of, plural


class Cause(StrEnum):
    """What is the matter with a device that a request could use; in the order of the texts."""

    FREE = "free"
    IN_USE = "in use"
    SHARED = "in use by shares"
    HELD_BACK = "held back"
    FULL = "too full"
    SMALL = "too small"
    NO_MEMORY = "of unknown memory"
    UNHEALTHY = "unhealthy"


@dataclass(frozen=True, slots=True)
class Shortage:
    """A class of which the node has too little. `causes` count its devices there."""

    class_name: str
    need: str
    causes: Mapping[Cause, int]

    @property
    def text(self) -> str:
        """The shortage as one clause."""
        counted = [f"{count} {cause}" for cause in Cause if (count := self.causes.get(cause, 0))]
        return f"{self.class_name} needs {self.need}: {', '.join(counted) or 'no device of the class'}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a node cannot serve a pod. `text` is what the scheduler shows."""

    text: str
    shortages: tuple[Shortage, ...] = ()


BLOCKED = Refusal("the devices in use are not known: a pod's record of devices is damaged")
TOO_LONG = Refusal("the pod asks for devices in too many containers")


def unknown_classes(names: tuple[str, ...]) -> Refusal:
    """Return the refusal of a pod that names classes which no longer exist or cannot be read."""
    return Refusal("; ".join(f"class {name} does not exist or cannot be read" for name in names))


def short_of(shortages: tuple[Shortage, ...]) -> Refusal:
    """Return the refusal of a node that has too little of some class, whatever else the pod asks for."""
    return Refusal("; ".join(item.text for item in shortages), shortages)


def not_together(names: tuple[str, ...]) -> Refusal:
    """Return the refusal of a node that could serve each class alone, by the same devices."""
    return Refusal(f"{list_of(names)} fit alone but not together: they need the same devices")


def shortage(pod: PodRequests, class_name: str, node: Node) -> Shortage:
    """Count the devices of a class by what keeps them from the pod's largest request of it."""
    largest = max(
        (item for item in pod.requests if item.class_name == class_name),
        key=lambda item: item.memory_bytes or 0,
    )
    devices = node.devices.serving.get(class_name, 0)
    by_device = {index: _cause(index, largest, node) for index in bits(devices)}
    causes = Counter(by_device.values())
    free = [index for index, cause in by_device.items() if cause is Cause.FREE]
    held_back = most(node.strangers, free).bit_count()
    causes.update({Cause.HELD_BACK: held_back, Cause.FREE: -held_back})
    return Shortage(class_name, _need(pod, class_name), +causes)


def _cause(index: int, request: Request, node: Node) -> Cause:
    if not node.devices.healthy >> index & 1:
        return Cause.UNHEALTHY
    if node.whole >> index & 1:
        return Cause.IN_USE
    if request.memory_bytes is None:
        return Cause.SHARED if node.used_bytes[index] else Cause.FREE
    return _memory_cause(index, request.memory_bytes, node)


def _memory_cause(index: int, memory_bytes: int, node: Node) -> Cause:
    total = node.devices.devices[index].memory_bytes
    if total is None:
        return Cause.NO_MEMORY
    if total < memory_bytes:
        return Cause.SMALL
    return Cause.FREE if node.room.left[index] >= memory_bytes else Cause.FULL


def _need(pod: PodRequests, class_name: str) -> str:
    """Say what the pod needs of a class at the moment when it needs most."""
    asked = [[pod.requests[index] for index in moment] for moment in pod.moments]
    own = [[item for item in moment if item.class_name == class_name] for moment in asked]
    sizes = max(([item.memory_bytes or 0 for item in moment] for moment in own), key=sum)
    if not sum(sizes):
        return plural(max(sum(item.units for item in moment) for moment in own), "device")
    if len(sizes) == 1:
        return f"{size_text(sizes[0])} of one device"
    return f"{size_text(sum(sizes))} in {len(sizes)} pieces of up to {size_text(max(sizes))}"


def size_text(memory_bytes: int) -> str:
    """Write a size exactly, in the largest binary unit that divides it: `2000 MiB`, `10 GiB`."""
    for unit, bits_of_unit in (("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if memory_bytes and memory_bytes % (1 << bits_of_unit) == 0:
            return f"{memory_bytes >> bits_of_unit} {unit}"
    return f"{memory_bytes} bytes"
