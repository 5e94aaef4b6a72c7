"""Devices taken past the scheduler: by pods that ask for a vendor's resource, and by static pods.

Nobody here can know which device such a pod got. What placement makes of that is in its strangers.py.
"""

from collections import Counter
from collections.abc import Iterable

from webhook.core.placement.bits import mask_of
from webhook.core.placement.node import NodeDevices, Strangers
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.values.demand import demand


def strangers_of(entries: Iterable[PodEntry], devices: NodeDevices) -> tuple[Strangers, ...]:
    """Return what pods of a node hold that no record names, and among which of its devices."""
    raw: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for entry in entries:
        raw.update(entry.raw)
        if entry.record is None and entry.spec:
            classes.update(demand(entry.spec).units)
    return (
        *(Strangers(_of_resource(devices, name), units) for name, units in raw.items()),
        *(Strangers(devices.serving.get(name, 0), units) for name, units in classes.items()),
    )


def _of_resource(devices: NodeDevices, name: str) -> int:
    return mask_of(index for index, item in enumerate(devices.devices) if item.raw_resource == name)
