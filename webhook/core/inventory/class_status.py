"""The status of a ResourceClass: what there is of it, and whether it can be used.

Devices are unhealthy, or in use, or neither; each counts once, a sick one as unhealthy whoever holds it.
`free` counts units: for a class with a share what still fits of it into each healthy device.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webhook.core.inventory.holdings import Held, Holdings
from webhook.core.placement.membership import Membership
from webhook.core.raw import as_list, as_mapping, at
from webhook.core.text import plural
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json
from webhook.core.values.resource_class import ResourceClass

READY: Final = "Ready"
VALUES_READABLE: Final = "ValuesReadable"

INVALID_SPEC: Final = "InvalidSpec"
NO_DEVICE: Final = "NoDevice"
ALL_UNHEALTHY: Final = "AllUnhealthy"
DEVICES_FOUND: Final = "DevicesFound"
UNREADABLE_VALUES: Final = "UnreadableValues"
ALL_READABLE: Final = "AllReadable"

MAX_EXAMPLES: Final = 3
MAX_MESSAGE: Final = 32768  # of a condition in Kubernetes (metav1.Condition)


@dataclass(frozen=True, slots=True)
class ClassCount:
    """Devices of a class, on one node or on many. `unreadable` are values that cannot be compared."""

    devices: int = 0
    unhealthy: int = 0
    used: int = 0  # healthy ones of which somebody holds any part
    free: int = 0  # units
    nodes: int = 0
    unreadable: tuple[str, ...] = ()

    def __add__(self, other: "ClassCount") -> "ClassCount":
        """Return both together."""
        return ClassCount(
            self.devices + other.devices,
            self.unhealthy + other.unhealthy,
            self.used + other.used,
            self.free + other.free,
            self.nodes + other.nodes,
            _examples(self.unreadable, other.unreadable),
        )


def node_counts(
    devices: Iterable[ExtendedResource], holdings: Holdings, classes: Classes, membership: Membership
) -> dict[str, ClassCount]:
    """Count the devices of one node by class. `membership` is that of `classes`."""
    found: dict[str, ClassCount] = {}
    for device in devices:
        held = holdings.of(device.node, device.device_id)
        for name in membership.of(device.properties):
            known = classes.get(name)
            if known is not None:
                found[name] = found.get(name, ClassCount(nodes=1)) + _of_one(device, held, known)
        for name, texts in membership.unreadable(device.properties).items():
            examples = tuple(f"{device.name}: {text}" for text in texts)
            found[name] = found.get(name, ClassCount()) + ClassCount(unreadable=examples)
    return found


def total_counts(per_node: Iterable[Mapping[str, ClassCount]]) -> dict[str, ClassCount]:
    """Add up what nodes have."""
    found: dict[str, ClassCount] = {}
    for counts in per_node:
        for name, count in counts.items():
            known = found.get(name)
            found[name] = count if known is None else known + count
    return found


def class_status(obj: Json, count: ClassCount | None, problems: Sequence[str], now: str) -> Json | None:
    """Return the merge patch of the status of a class; None where it says so already.

    `problems` are those of its spec, `now` is a time as Kubernetes writes it.
    """
    counted = count or ClassCount()
    generation = at(obj, "metadata").get("generation")
    status = at(obj, "status")
    present = [as_mapping(item) for item in as_list(status.get("conditions"))]
    wanted = {
        "devices": counted.devices,
        "unhealthy": counted.unhealthy,
        "used": counted.used,
        "free": counted.free,
        "nodes": counted.nodes,
        "observedGeneration": generation,
        "conditions": [
            *(item for item in present if item.get("type") not in (READY, VALUES_READABLE)),
            _condition(present, READY, _readiness(counted, problems), generation, now),
            _condition(present, VALUES_READABLE, _readability(counted, problems), generation, now),
        ],
    }
    changes = {key: value for key, value in wanted.items() if status.get(key) != value}
    return {"status": changes} if changes else None


def _of_one(device: ExtendedResource, held: Held, resource_class: ResourceClass) -> ClassCount:
    if not device.is_healthy:
        return ClassCount(devices=1, unhealthy=1)
    share, used = resource_class.share_memory_bytes, int(not held.is_free)
    if share is None:
        return ClassCount(devices=1, used=used, free=1 - used)
    left = 0 if held.is_whole else (device.memory_bytes or 0) - held.memory_bytes
    return ClassCount(devices=1, used=used, free=max(left, 0) // share)


def _examples(some: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*some, *more})[:MAX_EXAMPLES]) if some or more else ()


def _readiness(count: ClassCount, problems: Sequence[str]) -> tuple[str, str, str]:
    if problems:
        return "False", INVALID_SPEC, "; ".join(problems)
    if not count.devices:
        return "False", NO_DEVICE, "no device of the cluster matches the selector"
    devices = f"{plural(count.devices, 'device')} on {plural(count.nodes, 'node')}"
    if count.unhealthy == count.devices:
        return "False", ALL_UNHEALTHY, f"{devices}, and all are unhealthy"
    return "True", DEVICES_FOUND, devices


def _readability(count: ClassCount, problems: Sequence[str]) -> tuple[str, str, str]:
    if problems:
        return "Unknown", INVALID_SPEC, "the selector cannot be read"
    if not count.unreadable:
        return "True", ALL_READABLE, "every value that the selector looks at can be compared"
    more = " (and perhaps others)" if len(count.unreadable) == MAX_EXAMPLES else ""
    listed = "; ".join(count.unreadable)
    return "False", UNREADABLE_VALUES, f"devices with these values do not match: {listed}{more}"


def _condition(
    present: Sequence[Json], kind: str, said: tuple[str, str, str], generation: Any, now: str
) -> Json:
    status, reason, message = said
    known = next((item for item in present if item.get("type") == kind), {})
    since = known.get("lastTransitionTime") if known.get("status") == status else None
    condition = {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message[:MAX_MESSAGE],
        "lastTransitionTime": since or now,
    }
    return condition if generation is None else condition | {"observedGeneration": generation}
