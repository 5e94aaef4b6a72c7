"""Each class that a pod asks for: what there is of it, and what the quotas of the namespace leave."""

from collections.abc import Iterator, Sequence

from webhook.core.explain.answer import ClassNeed, QuotaLeft
from webhook.core.explain.scene import Devices, Scene
from webhook.core.explain.supply import Supply, supply
from webhook.core.raw import at
from webhook.core.validate.quota import amount_of, limit_of, quota_name
from webhook.core.validate.scopes import counts
from webhook.core.values.names import Json
from webhook.core.values.quantity import NANOS


def needs(scene: Scene) -> tuple[ClassNeed, ...]:
    """Return the classes of the pod, by name."""
    return tuple(_need(scene, name, units) for name, units in sorted(scene.demand.units.items()))


def _need(scene: Scene, name: str, units: int) -> ClassNeed:
    devices = scene.devices
    known = devices.classes.get(name) if devices else None
    share = known.share_memory_bytes if known else None
    left = tuple(_quotas(scene.pod, scene.quotas or (), name))
    return ClassNeed(name, units, share, _supply(devices, name), left)


def _supply(devices: Devices | None, name: str) -> Supply | None:
    known = devices.classes.get(name) if devices else None
    return supply(known, devices.nodes.values(), devices.holdings) if devices and known else None


def _quotas(pod: Json, quotas: Sequence[Json], name: str) -> Iterator[QuotaLeft]:
    for quota in sorted(quotas, key=quota_name):
        hard = limit_of(quota, name)
        if hard is None or not counts(quota, pod):
            continue
        used, known = (amount_of(at(quota, "status", field), name) for field in ("used", "hard"))
        left = None if used is None or known != hard else max(0, (hard.nanos - used.nanos) // NANOS)
        yield QuotaLeft(quota_name(quota), str(hard), str(used if used is not None else 0), left)
