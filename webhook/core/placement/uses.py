"""What a pod takes of each device, from its record and its containers.

Containers that never run at one time take one after the other: a device that an init container used and a
container uses again is taken once. A device that the pod uses whole at any time is taken whole.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webhook.core.placement.moments import moments
from webhook.core.values.containers import INIT_CONTAINERS, containers
from webhook.core.values.record import Allocation, DamagedRecord, Record


@dataclass(frozen=True, slots=True)
class Use:
    """What one pod takes of one device. Without `memory_bytes` it is the whole device."""

    device: str
    memory_bytes: int | None = None


def uses_of(record: Record | DamagedRecord | None, pod_spec: Any) -> tuple[Use, ...]:
    """Return what a pod takes, one entry per device, sorted; of a damaged record every device, whole."""
    if record is None:
        return ()
    if isinstance(record, DamagedRecord):
        return tuple(Use(device) for device in record.devices)
    peaks: dict[str, int | None] = {}
    for names in _together(record, pod_spec):
        for device, memory_bytes in _taken(
            item for name in names for item in record.containers[name]
        ).items():
            known = peaks.get(device, 0)
            peaks[device] = None if known is None or memory_bytes is None else max(known, memory_bytes)
    return tuple(Use(device, memory_bytes) for device, memory_bytes in sorted(peaks.items()))


def _taken(items: Iterable[Allocation]) -> dict[str, int | None]:
    """Return what allocations of one moment take of each device together."""
    taken: dict[str, int | None] = {}
    for item in items:
        known = taken.get(item.device, 0)
        whole = known is None or item.memory_bytes is None
        taken[item.device] = None if whole else (known or 0) + (item.memory_bytes or 0)
    return taken


def _together(record: Record, pod_spec: Any) -> Iterable[tuple[str, ...]]:
    """Return which containers of the record run together; one that the pod lacks is taken to run always."""
    roles = {ref.name: ref.kind == INIT_CONTAINERS and not ref.is_sidecar for ref in containers(pod_spec)}
    unknown = [name for name in record.containers if name not in roles]
    known = [name for name in roles if name in record.containers]
    return moments([(name, False) for name in unknown] + [(name, roles[name]) for name in known])
