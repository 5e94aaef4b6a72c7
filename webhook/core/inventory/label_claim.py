"""What one source of node labels claims about the devices of a node."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from webhook.core.raw import at
from webhook.core.values.memory import BadMemory, parse_device_memory
from webhook.core.values.names import Json
from webhook.core.values.quantity import BadQuantity, parse_amount

NVIDIA: Final = "NVIDIA"
AGENT: Final = "run the node agent there, which knows every device"
"""The remedy where labels cannot tell which devices a node has."""

# The largest machines have 16 devices, and MIG makes 7 of each. It bounds what a wrong label can create.
MAX_DEVICES: Final = 256

_COUNT: Final = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the labels of a node are not believed: a word in CamelCase, and a sentence with the remedy."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Said:
    """A value and the label that says so."""

    label: str
    value: str

    def __str__(self) -> str:
        return f"{self.label}={self.value}"


@dataclass(frozen=True, slots=True)
class Group:
    """Devices of a node that are alike. Their ids are `id_prefix` and a number, from 0.

    Without `count` there are as many as the node's capacity of `raw_resource` says.
    """

    model: str
    raw_resource: str
    count: int | None = None
    memory: Said | None = None
    id_prefix: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a source says. By `model`, `memory` and `count`, of whole devices, sources are compared.

    `is_driver_name` when the model is the driver's own name of it, not a short one of a cloud. `replicas` is
    how often a vendor's plugin counts each device.
    """

    source: str
    vendor: str
    model: Said
    groups: tuple[Group, ...]
    is_driver_name: bool = True
    memory: Said | None = None
    count: Said | None = None
    replicas: int = 1
    warnings: tuple[str, ...] = ()


def said(labels: Mapping[str, str], key: str) -> Said | None:
    """Return a label, None where it is absent."""
    return Said(key, labels[key]) if key in labels else None


def number(text: Said | None) -> int | None:
    """Return the number that a label gives; None where there is none."""
    return int(text.value) if text and _COUNT.fullmatch(text.value) else None


def size(text: Said | None) -> int | None:
    """Return the bytes of memory that a label gives; None where there is none, or it cannot be read."""
    try:
        return parse_device_memory(text.value) or None if text else None
    except BadMemory:
        return None


def capacity(node: Json, resource: str) -> int | None:
    """Return the node's capacity of a resource; None where the node does not list it."""
    value = at(node, "status", "capacity").get(resource)
    try:
        return None if value is None else parse_amount(value)
    except BadQuantity:
        return None
