"""One node in the books: its devices, the pods that hold some of them, and what follows from both."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from webhook.binder.bypass import strangers_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.node import Node, NodeDevices, Strangers, loaded, node_devices
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.placement.uses import Use
from webhook.core.values.extended_resource import ExtendedResource


class Reservation(Protocol):
    """What a bind that is not seen yet holds."""

    @property
    def uses(self) -> tuple[Use, ...]:
        """The devices, and how much of them."""


@dataclass(slots=True)
class NodeBook:
    """What is known of a node. `node()` is worked out when asked for, and again after a change."""

    name: str
    devices: dict[str, ExtendedResource] = field(default_factory=dict)  # by the name of the object
    pods: dict[str, PodEntry] = field(default_factory=dict)  # by uid
    reserved: dict[str, Reservation] = field(default_factory=dict)  # by the uid of the pod
    _devices: NodeDevices | None = None
    _node: Node | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of the node any more."""
        return not (self.devices or self.pods or self.reserved)

    def pods_changed(self) -> None:
        """Forget what followed from the pods."""
        self._node = None

    def devices_changed(self) -> None:
        """Forget what followed from the devices and the classes."""
        self._devices = self._node = None

    def node(self, membership: Membership, sizes: Mapping[str, int]) -> Node:
        """Return the node with everything that its pods take."""
        if self._node is None:
            self._node = self._loaded(self.node_devices(membership, sizes), ())
        return self._node

    def node_devices(self, membership: Membership, sizes: Mapping[str, int]) -> NodeDevices:
        """Return the devices of the node."""
        if self._devices is None:
            self._devices = node_devices(self.name, self.devices.values(), membership, sizes)
        return self._devices

    def without(self, gone: Collection[str], membership: Membership, sizes: Mapping[str, int]) -> Node:
        """Return the node as it would be without some pods, by uid."""
        return self._loaded(self.node_devices(membership, sizes), gone)

    def uses_without(self, gone: Collection[str]) -> list[Use]:
        """Return what is known to be taken of the devices by all but some pods."""
        uses = [use for uid, entry in self.pods.items() if uid not in gone for use in entry.uses]
        uses += [
            use
            for uid, item in self.reserved.items()
            if uid not in gone and uid not in self.pods
            for use in item.uses
        ]
        return uses

    def strangers_without(self, gone: Collection[str], devices: NodeDevices) -> tuple[Strangers, ...]:
        """Return what all but some pods hold that no record names."""
        return strangers_of((entry for uid, entry in self.pods.items() if uid not in gone), devices)

    def _loaded(self, devices: NodeDevices, gone: Collection[str]) -> Node:
        is_blocked = any(entry.blocks_node for uid, entry in self.pods.items() if uid not in gone)
        return loaded(
            devices,
            self.uses_without(gone),
            strangers=self.strangers_without(gone, devices),
            is_blocked=is_blocked,
        )
