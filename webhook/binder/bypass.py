"""Devices taken past the scheduler: by pods that ask for a vendor's resource, and by static pods.

Nobody here can know which device such a pod got, so it costs one of every kind that it could be: as many
devices of each kind, among those that no record names, are held back for it. A kind are the devices of one
set of classes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from webhook.core.placement.bits import bits
from webhook.core.placement.node import NodeDevices
from webhook.core.placement.uses import Use
from webhook.core.values.containers import INIT_CONTAINERS, LIMITS, REQUESTS, ContainerRef, containers
from webhook.core.values.names import STORED_PREFIX
from webhook.core.values.quantity import BadQuantity, parse_amount

_KUBERNETES: Final = "kubernetes.io"


def raw_requests(pod_spec: Any) -> dict[str, int]:
    """Return what a pod asks of extended resources that are no classes.

    The greater of what runs at once and of the largest init container, as Kubernetes counts.
    """
    running: Counter[str] = Counter()
    largest: Counter[str] = Counter()
    for ref in containers(pod_spec):
        amounts = Counter(dict(_raw_amounts(ref)))
        if ref.kind == INIT_CONTAINERS and not ref.is_sidecar:
            largest |= running + amounts
        else:
            running += amounts
    return dict(running | largest)


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


def _raw_amounts(ref: ContainerRef) -> Iterator[tuple[str, int]]:
    amounts = {**ref.amounts(REQUESTS), **ref.amounts(LIMITS)}
    for name, value in amounts.items():
        domain, slash, _ = name.partition("/")
        if slash and not name.startswith(STORED_PREFIX) and not domain.endswith(_KUBERNETES):
            try:
                yield name, parse_amount(value)
            except BadQuantity:
                continue
