"""Nodes on which a vendor's device plugin hands out the same devices: which classes they may show there.

Such a plugin runs where the node's capacity or allocatable lists the raw resource of its devices: while it is
away, as when it is upgraded, the kubelet takes the allocatable to 0 and keeps the capacity for five minutes
(Kubernetes, pkg/kubelet/cm/devicemanager). It gives devices to plain pods, and nobody knows which. So a class
of these devices is shown on the node only if

- its pods are counted by the plugin too, whichever namespace they come from: the class names the raw resource
  in `spec.pod.vendorResource`, and
- no pod there holds a device past the scheduler: asks for the raw resource, and no record says what it got.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from webhook.core.inventory.node_condition import NodeVerdict
from webhook.core.inventory.units import ClassUnits
from webhook.core.placement.membership import Membership
from webhook.core.raw import at
from webhook.core.text import list_of
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json
from webhook.core.values.quantity import units_or_zero
from webhook.core.values.vendor_resource import PATH

SHARED_WITH_VENDOR_PLUGIN: Final = "SharedWithVendorPlugin"
MAX_NAMED: Final = 3


class VendorPod(Protocol):
    """An unfinished pod of the node. `raw` is what it asks of vendors' resources and no record names."""

    @property
    def title(self) -> str:
        """The pod as messages name it."""

    @property
    def raw(self) -> Mapping[str, int]:
        """Units by resource."""


@dataclass(frozen=True, slots=True)
class VendorVerdict:
    """The classes that the node does not show, and what to say of it."""

    hidden: frozenset[str] = frozenset()
    verdict: NodeVerdict | None = None


def vendor_plugin(
    node: Json,
    devices: Iterable[ExtendedResource],
    pods: Iterable[VendorPod],
    classes: Classes,
    membership: Membership,
) -> VendorVerdict:
    """Return which classes a node must not show, given its devices and its unfinished pods.

    `membership` is that of `classes`.
    """
    shared = _shared(node, devices, membership)
    if not shared:
        return VendorVerdict()
    holders: dict[str, list[str]] = {}
    for pod in pods:
        for raw, units in pod.raw.items():
            if units:
                holders.setdefault(raw, []).append(pod.title)
    uncounted = dict(_uncounted(shared, classes))
    unknown = {name: raw for name, raws in shared.items() for raw in sorted(raws & holders.keys())}
    texts = [*_uncounted_texts(uncounted), *_unknown_texts(unknown, holders)]
    if not texts:
        return VendorVerdict()
    verdict = NodeVerdict(False, SHARED_WITH_VENDOR_PLUGIN, "; ".join(texts))
    return VendorVerdict(frozenset({*uncounted, *unknown}), verdict)


def shown_units(units: Mapping[str, ClassUnits], hidden: Collection[str]) -> dict[str, ClassUnits]:
    """Return the units that a node shows. Of a hidden class those that its pods there need, if any do."""
    shown = {name: item if name not in hidden else replace(item, units=0) for name, item in units.items()}
    return {name: item for name, item in shown.items() if name not in hidden or item.in_use}


def _shared(node: Json, devices: Iterable[ExtendedResource], membership: Membership) -> dict[str, set[str]]:
    """Return by class the raw resources of its devices that a plugin hands out on the node."""
    amounts = [at(node, "status", field) for field in ("capacity", "allocatable")]
    shared: dict[str, set[str]] = {}
    for device in devices:
        if any(units_or_zero(each.get(device.raw_resource)) for each in amounts):
            for name in membership.of(device.properties):
                shared.setdefault(name, set()).add(device.raw_resource)
    return shared


def _uncounted(shared: Mapping[str, set[str]], classes: Classes) -> Iterator[tuple[str, str]]:
    """Yield each class and raw resource that a plugin hands out without counting pods of the class."""
    for name, raws in shared.items():
        known = classes.get(name)
        for raw in sorted(raws - {known.vendor_resource if known else None}):
            yield name, raw


def _uncounted_texts(uncounted: Mapping[str, str]) -> Iterable[str]:
    for raw, names in _by_resource(uncounted).items():
        yield (
            f"a vendor's device plugin hands out {raw} here and does not count pods of "
            f"{list_of(names, MAX_NAMED)}: set {PATH}: {raw} in the class, or remove the plugin from the node"
        )


def _unknown_texts(unknown: Mapping[str, str], holders: Mapping[str, Sequence[str]]) -> Iterable[str]:
    for raw, names in _by_resource(unknown).items():
        yield (
            f"{raw} is held without a record by {list_of(sorted(holders[raw]), MAX_NAMED)}, so that nobody "
            f"knows which devices of {list_of(names, MAX_NAMED)} are free: create these pods anew with the "
            "class"
        )


def _by_resource(classes: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, raw in sorted(classes.items()):
        found.setdefault(raw, []).append(name)
    return found
