"""Who holds which device, from the records of the pods that are not finished.

The records are the only truth of what is taken. Two views follow from them: the holders, one per container,
are what people are shown; what a pod takes at once is what counts against the device, because an init
container and a later container of one pod may use one device after the other.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol

from webhook.core.placement.reasons import size_text
from webhook.core.placement.uses import Use, uses_of
from webhook.core.raw import as_text, at
from webhook.core.text import plural
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json
from webhook.core.values.record import DamagedRecord, Record, read_record
from webhook.core.values.usage import FINISHED

DeviceKey = tuple[str, str]
"""The node of a device and its id."""


class HoldingPod(Protocol):
    """What is asked of an unfinished pod; `uses` are those of its record."""

    @property
    def namespace(self) -> str:
        """The namespace of the pod."""

    @property
    def name(self) -> str:
        """The name of the pod."""

    @property
    def uid(self) -> str:
        """The UID of the pod."""

    @property
    def node(self) -> str:
        """The node that the pod is bound to, empty before."""

    @property
    def record(self) -> Record | DamagedRecord | None:
        """The record of its devices."""

    @property
    def uses(self) -> tuple[Use, ...]:
        """What it takes at once of each device."""


@dataclass(frozen=True, slots=True)
class Holder:
    """One container that holds a device or a share of it. A damaged record names no container, no class."""

    namespace: str
    pod: str
    uid: str
    container: str
    class_name: str
    memory_bytes: int | None = None

    @property
    def title(self) -> str:
        """The pod as messages name it."""
        return f"{self.namespace}/{self.pod}"


@dataclass(frozen=True, slots=True)
class Held:
    """One device as its pods hold it. `takes` has one entry per pod: bytes, or None for the whole device."""

    holders: tuple[Holder, ...] = ()
    takes: tuple[int | None, ...] = ()

    @property
    def is_free(self) -> bool:
        """Whether nobody holds any of it."""
        return not self.takes

    @property
    def is_whole(self) -> bool:
        """Whether a pod holds all of it."""
        return None in self.takes

    @property
    def memory_bytes(self) -> int:
        """The sum of the shares."""
        return sum(item for item in self.takes if item is not None)

    @property
    def pods(self) -> tuple[str, ...]:
        """The pods that hold it, each once, as messages name them."""
        return tuple(dict.fromkeys(holder.title for holder in self.holders))


@dataclass(frozen=True, slots=True)
class DamagedPod:
    """A pod whose record cannot be believed. `blocks_node` when no device can be read from it at all."""

    namespace: str
    pod: str
    uid: str
    node: str
    problems: tuple[str, ...]
    blocks_node: bool


@dataclass(frozen=True, slots=True)
class Holdings:
    """What all pods hold."""

    by_device: Mapping[DeviceKey, Held] = field(default_factory=dict)
    damaged: tuple[DamagedPod, ...] = ()

    def of(self, node: str, device_id: str) -> Held:
        """Return who holds a device; nobody, where no record names it."""
        return self.by_device.get((node, device_id), NOT_HELD)


NOT_HELD: Final = Held()
NO_HOLDINGS: Final = Holdings()


@dataclass(frozen=True, slots=True)
class _Pod:
    namespace: str
    name: str
    uid: str
    node: str
    record: Record | DamagedRecord | None
    uses: tuple[Use, ...]


def holdings(pods: Iterable[Json]) -> Holdings:
    """Return what raw pods hold. Finished ones hold nothing; terminating ones do."""
    return holdings_of(_read(pod) for pod in pods if at(pod, "status").get("phase") not in FINISHED)


def holdings_of(pods: Iterable[HoldingPod]) -> Holdings:
    """Return what unfinished pods hold, holders in the order of the pods' names."""
    holders: dict[DeviceKey, list[Holder]] = {}
    takes: dict[DeviceKey, list[int | None]] = {}
    damaged: list[DamagedPod] = []
    for pod in sorted(pods, key=lambda item: (item.namespace, item.name, item.uid)):
        for device, holder in _holders(pod):
            holders.setdefault((pod.node, device), []).append(holder)
        for use in pod.uses:
            takes.setdefault((pod.node, use.device), []).append(use.memory_bytes)
        if isinstance(pod.record, DamagedRecord):
            damaged.append(_damaged(pod, pod.record))
    held = {key: Held(tuple(holders.get(key, ())), tuple(items)) for key, items in takes.items()}
    return Holdings(MappingProxyType(held), tuple(damaged))


def over_held(device: ExtendedResource, held: Held) -> str | None:
    """Say why a device is held beyond what it can serve; None where it is not."""
    wholes = sum(item is None for item in held.takes)
    shares = len(held.takes) - wholes
    if wholes > 1:
        return f"{plural(wholes, 'pod')} hold the whole device"
    if wholes and shares:
        return f"one pod holds the whole device and {plural(shares, 'pod')} a share of it"
    if held.memory_bytes > (device.memory_bytes or 0):
        has = "of unknown size" if device.memory_bytes is None else f"of {size_text(device.memory_bytes)}"
        return f"shares of {size_text(held.memory_bytes)} in all are held of a device {has}"
    return None


def _read(pod: Json) -> _Pod:
    metadata, spec, record = at(pod, "metadata"), at(pod, "spec"), read_record(pod)
    return _Pod(
        namespace=as_text(metadata.get("namespace")),
        name=as_text(metadata.get("name")),
        uid=as_text(metadata.get("uid")),
        node=as_text(spec.get("nodeName")),
        record=record,
        uses=uses_of(record, spec),
    )


def _holders(pod: HoldingPod) -> Iterator[tuple[str, Holder]]:
    if isinstance(pod.record, DamagedRecord):
        for device in pod.record.devices:
            yield device, Holder(pod.namespace, pod.name, pod.uid, "", "")
    elif pod.record is not None:
        for container, items in pod.record.containers.items():
            for item in items:
                holder = Holder(
                    pod.namespace, pod.name, pod.uid, container, item.class_name, item.memory_bytes
                )
                yield item.device, holder


def _damaged(pod: HoldingPod, record: DamagedRecord) -> DamagedPod:
    return DamagedPod(pod.namespace, pod.name, pod.uid, pod.node, record.problems, record.blocks_node)
