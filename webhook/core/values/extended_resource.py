"""An ExtendedResource: one device of one node, read from its object.

The schema of the CustomResourceDefinition refuses most faults; what passes by it must not stop the other
devices. A device without a place or an id cannot be handed out and is refused as a whole; any other
value that cannot be read is reported in `problems` and counts as absent.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from webhook.core.errors import BadInput
from webhook.core.raw import as_mapping, as_text, at, value_at
from webhook.core.values.memory import BadMemory, parse_device_memory
from webhook.core.values.names import Json
from webhook.core.values.quantity import NANOS, BadQuantity, parse_quantity

AVAILABLE: Final = "Available"
BOUND: Final = "Bound"
UNHEALTHY: Final = "Unhealthy"

NUMA_NODE: Final = "numaNode"
PCIE_ROOT: Final = "pcieRoot"

# Ids are joined by commas in the annotations that containers read.
_DEVICE_ID: Final = re.compile(r"[^\s,]+")


class BadDevice(BadInput):
    """An ExtendedResource that names no device of a node. `problems` names each place and the remedy."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class ExtendedResource:
    """One device. `memory_bytes` is None where no size is known: no share can be cut from it."""

    name: str  # of the object
    node: str
    device_id: str
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)
    memory_bytes: int | None = None
    phase: str = AVAILABLE
    raw_resource: str = ""
    problems: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether the device may be handed out. Which devices are taken is said by the pods alone."""
        return self.phase in (AVAILABLE, BOUND)


def parse_extended_resource(obj: Json) -> ExtendedResource:
    """Read an ExtendedResource object. Raises BadDevice when it names no device of a node."""
    name, spec = as_text(at(obj, "metadata").get("name")), at(obj, "spec")
    node, device_id = as_text(spec.get("nodeName")), as_text(spec.get("deviceID"))
    problems = tuple(_identity_problems(name, node, device_id))
    if problems:
        raise BadDevice(problems)
    doubts: list[str] = []
    properties = _properties(spec.get("properties"), doubts)
    return ExtendedResource(
        name=name,
        node=node,
        device_id=device_id,
        properties=properties,
        memory_bytes=_memory(obj, properties, doubts),
        phase=_phase(value_at(obj, ("status", "phase")), doubts),
        raw_resource=as_text(spec.get("rawResourceName")),
        problems=tuple(doubts),
    )


def read_extended_resources(
    objects: Iterable[Json],
) -> tuple[tuple[ExtendedResource, ...], Mapping[str, tuple[str, ...]]]:
    """Read ExtendedResource objects: the devices, and by object name what is wrong with any of them."""
    devices: list[ExtendedResource] = []
    problems: dict[str, tuple[str, ...]] = {}
    for obj in objects:
        try:
            device = parse_extended_resource(obj)
        except BadDevice as error:
            problems[as_text(at(obj, "metadata").get("name"))] = error.problems
            continue
        devices.append(device)
        if device.problems:
            problems[device.name] = device.problems
    return tuple(devices), problems


def _identity_problems(name: str, node: str, device_id: str) -> Iterable[str]:
    if not name:
        yield "metadata.name is missing"
    if not node:
        yield "spec.nodeName is missing; name the node that the device is in"
    if not _DEVICE_ID.fullmatch(device_id):
        yield f"spec.deviceID is {device_id!r}; write the device's UUID or index, without spaces and commas"


def _properties(raw: Any, doubts: list[str]) -> dict[str, str]:
    if raw is not None and not isinstance(raw, dict):
        doubts.append("spec.properties must be a map of texts")
    read = {key: value for key, value in as_mapping(raw).items() if isinstance(value, str)}
    doubts.extend(
        f"spec.properties.{key} must be a text; put it in quotes"
        for key in as_mapping(raw)
        if key not in read
    )
    return read


def _memory(obj: Json, properties: Mapping[str, str], doubts: list[str]) -> int | None:
    """The usable memory that was measured on the node, else the size that the properties state."""
    measured = value_at(obj, ("status", "capacity", "memory"))
    if measured is not None:
        try:
            return max(parse_quantity(measured).nanos // NANOS, 0)
        except BadQuantity as error:
            doubts.append(f"status.capacity.memory: {error}")
    stated = properties.get("memory")
    try:
        return None if stated is None else parse_device_memory(stated)
    except BadMemory as error:
        doubts.append(f"spec.properties.memory: {error}")
        return None


def _phase(raw: Any, doubts: list[str]) -> str:
    """Return the phase. None yet means no complaint; one that is not understood is never handed out."""
    if raw is None:
        return AVAILABLE
    if raw in (AVAILABLE, BOUND, UNHEALTHY):
        return str(raw)
    doubts.append(f"status.phase is {raw!r}; it must be {AVAILABLE}, {BOUND} or {UNHEALTHY}")
    return UNHEALTHY
