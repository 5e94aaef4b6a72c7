"""Devices taken past the scheduler: by pods that ask for a vendor's resource, and by static pods.

Nobody here can know which device such a pod got, so it costs one of every kind that it could be: as many
devices of each kind, among those that no record names, are held back for it. A kind are the devices of one
set of classes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from webhook.core.placement.bits import bits
from webhook.core.placement.node import NodeDevices
from webhook.core.placement.uses import Use


def held_back(
    devices: NodeDevices, taken: Iterable[Use], raw: Mapping[str, int], classes: Mapping[str, int]
) -> Iterator[Use]:
    """Yield the devices that are held back for pods without record.

    `raw` is what they ask of vendors' resources together, `classes` what they ask of classes.
    """
    known = {use.device for use in taken}
    free = [index for index in bits(devices.healthy) if devices.devices[index].device_id not in known]
    for name, count in raw.items():
        own = [index for index in free if devices.devices[index].raw_resource == name]
        yield from _of_every_kind(devices, own, count)
    for name, count in classes.items():
        own = [index for index in free if devices.serving.get(name, 0) >> index & 1]
        yield from _of_every_kind(devices, own, count)


def _of_every_kind(devices: NodeDevices, indexes: Iterable[int], count: int) -> Iterator[Use]:
    seen: Counter[frozenset[str]] = Counter()
    for index in indexes:
        kind = frozenset(name for name, mask in devices.serving.items() if mask >> index & 1)
        if seen[kind] < count:
            seen[kind] += 1
            yield Use(devices.devices[index].device_id)
