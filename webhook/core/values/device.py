"""Kinds of device: what the ExtendedResources of a cluster are when single devices are not told apart."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from webhook.core.raw import as_mapping
from webhook.core.values.names import Json

# What tells two devices of one kind apart; every other property belongs to the kind.
PER_DEVICE: Final = frozenset(
    {
        "index", "minor", "uuid", "UUID", "parentUUID", "deviceID", "serial", "pciBusID", "pcieRoot",
        "numaNode", "node", "nodeName",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """Devices that no class can tell apart by anything but their place, and how many there are."""

    properties: Mapping[str, str] = field(hash=False)
    count: int = 1


def device_kinds(objects: Iterable[Json]) -> tuple[DeviceKind, ...]:
    """Group ExtendedResource objects by kind, in the order of first appearance.

    A device without readable properties makes no kind: no class could select it.
    """
    counts = Counter(key for obj in objects if (key := _kind_key(obj)))
    return tuple(DeviceKind(dict(key), count) for key, count in counts.items())


def _kind_key(obj: Json) -> tuple[tuple[str, str], ...]:
    properties = as_mapping(as_mapping(obj.get("spec")).get("properties"))
    return tuple(sorted((k, v) for k, v in properties.items() if isinstance(v, str) and k not in PER_DEVICE))
