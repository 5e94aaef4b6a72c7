"""The record of the devices that a pod got: annotation `resourceclass.io/allocation`, and its derived ones.

    {"version":1,"node":"node-a","containers":{"train":[{"class":"nvidia.tesla.k80","device":"GPU-0"}]}}

The records of bound pods are the only truth of what is taken. One that cannot be read, or that the derived
annotations contradict, is damaged: every device that it may speak of counts as taken, whole.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.device_env import names_variable, variable_annotations
from webhook.core.values.names import Json

RECORD_VERSION: Final = 1

_DEVICE_IN_TEXT: Final = re.compile(r'"device"\s*:\s*"([^"\\\s,]+)"')
_DERIVED_SUFFIX: Final = f".{names.DEVICES_DOMAIN}"


@dataclass(frozen=True, slots=True)
class Allocation:
    """One device for one class of a container. Without `memory_bytes` it is the whole device."""

    class_name: str
    device: str
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """Which devices of a node the containers of a pod got."""

    node: str
    containers: Mapping[str, tuple[Allocation, ...]]

    def devices_of(self, container: str) -> tuple[str, ...]:
        """Return the ids of a container's devices, each once, in the order of the record."""
        return tuple(dict.fromkeys(item.device for item in self.containers.get(container, ())))


@dataclass(frozen=True, slots=True)
class DamagedRecord:
    """A record that cannot be believed. `devices` are the ids that can still be read from it, sorted."""

    problems: tuple[str, ...]
    devices: tuple[str, ...]

    @property
    def blocks_node(self) -> bool:
        """Whether nobody can say which devices the pod holds, so that its node can serve no other."""
        return not self.devices


def read_record(pod: Json) -> Record | DamagedRecord | None:
    """Return what a pod's annotations say of its devices.

    None for a pod without a node, whose annotations mean nothing yet, and for one with no word of devices.
    """
    node = as_text(at(pod, "spec").get("nodeName"))
    annotations = at(pod, "metadata", "annotations")
    derived = {key: as_text(value) for key, value in annotations.items() if _is_derived(key)}
    raw = annotations.get(names.RECORD_ANNOTATION)
    if not node or (raw is None and not derived):
        return None
    if raw is None:
        return _damaged([f"{names.RECORD_ANNOTATION} is missing"], "", derived)
    text = as_text(raw)
    try:
        record = parse_record(text)
    except ValueError as error:
        return _damaged([f"{names.RECORD_ANNOTATION}: {error}"], text, derived)
    problems = [f"it is of node {record.node}, the pod is on {node}"] if record.node != node else []
    problems += disagreements(record, annotations)
    return _damaged(problems, text, derived) if problems else record


def parse_record(text: str) -> Record:
    """Read the text of a record. Raises ValueError with what is wrong."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is no JSON") from error
    version = as_mapping(document).get("version")
    if version != RECORD_VERSION or isinstance(version, bool):
        raise ValueError(f"its version is {version!r}; this release reads version {RECORD_VERSION}")
    node, containers = document.get("node"), document.get("containers")
    if not isinstance(node, str) or not node or not isinstance(containers, dict):
        raise ValueError("it lacks the node or the containers")
    return Record(node, {name: tuple(_allocations(name, raw)) for name, raw in containers.items()})


def write_record(record: Record) -> str:
    """Return the one text of a record: containers by name, no spaces, memoryBytes only for a share."""
    containers = {
        name: [_written(item) for item in items] for name, items in sorted(record.containers.items())
    }
    document = {"version": RECORD_VERSION, "node": record.node, "containers": containers}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def derived_annotations(record: Record, classes: Classes) -> dict[str, str]:
    """Return the annotations from which the kubelet resolves the device variables of each container.

    Of a class that is gone only the main annotation is known, which lists every device of the container.
    """
    found: dict[str, str] = {}
    for container, items in sorted(record.containers.items()):
        if not items:
            continue
        found[names.devices_annotation(container)] = ",".join(record.devices_of(container))
        asked = dict.fromkeys(item.class_name for item in items)
        known = [known for name in asked if (known := classes.get(name)) is not None]
        for variable, annotation in variable_annotations(container, known).items():
            if annotation not in found:
                own = {item.name for item in known if names_variable(item, variable)}
                devices = dict.fromkeys(item.device for item in items if item.class_name in own)
                found[annotation] = ",".join(devices)
    return found


def disagreements(record: Record, annotations: Mapping[str, Any]) -> list[str]:
    """Return where the derived annotations say otherwise than the record; each main one must be there."""
    found = []
    for container in record.containers:
        key, devices = names.devices_annotation(container), record.devices_of(container)
        if _ids(annotations.get(key)) != devices:
            found.append(f"{key} is not what the record says")
    for key, value in annotations.items():
        if not _is_derived(key):
            continue
        domain, _, container = key.partition("/")
        is_main = domain == names.DEVICES_DOMAIN
        if is_main and container in record.containers:
            continue
        if not set(_ids(value)) <= set(record.devices_of(container)):
            found.append(f"{key} names devices that the record does not give to the container")
    return sorted(found)


def _is_derived(key: str) -> bool:
    domain, slash, _ = key.partition("/")
    return bool(slash) and (domain == names.DEVICES_DOMAIN or domain.endswith(_DERIVED_SUFFIX))


def _ids(value: Any) -> tuple[str, ...]:
    return tuple(part for part in as_text(value).split(",") if part)


def _damaged(problems: Sequence[str], text: str, derived: Mapping[str, str]) -> DamagedRecord:
    found = {device for value in derived.values() for device in _ids(value)}
    found.update(_DEVICE_IN_TEXT.findall(text))
    return DamagedRecord(tuple(problems), tuple(sorted(found)))


def _allocations(container: str, raw: Any) -> Iterator[Allocation]:
    if not isinstance(raw, list):
        raise ValueError(f"container {container} has no list of devices")  # noqa: TRY004
    for item in as_list(raw):
        entry = as_mapping(item)
        class_name, device = as_text(entry.get("class")), as_text(entry.get("device"))
        memory_bytes = entry.get("memoryBytes")
        if not class_name or not device or not _is_size(memory_bytes):
            raise ValueError(
                f"container {container} has an entry without class, device or a right memoryBytes"
            )
        yield Allocation(class_name, device, memory_bytes)


def _is_size(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0)


def _written(item: Allocation) -> Json:
    entry: Json = {"class": item.class_name, "device": item.device}
    if item.memory_bytes is not None:
        entry["memoryBytes"] = item.memory_bytes
    return entry
