"""Writes what was planned for the devices of one node, and the status of each."""

from collections.abc import Iterable
from typing import Final

from webhook.cluster.api import ApiError
from webhook.cluster.listing import key_of
from webhook.controller.kept import DEVICES, keep_object
from webhook.controller.world import World
from webhook.controller.writing import Writer
from webhook.core.inventory.device_status import device_status
from webhook.core.inventory.holdings import Holdings
from webhook.core.inventory.plan_devices import DevicePlan
from webhook.core.raw import as_text, at, name_of
from webhook.core.values.names import Json

GONE: Final = 404


class DeviceWrites:
    """The API server's answers are taken in at once, so that the rest of the work on a node sees them."""

    def __init__(self, world: World, writer: Writer) -> None:
        self._world = world
        self._writer = writer

    def carry_out(self, plan: DevicePlan) -> None:
        """Delete, create and change devices. Deletions first: a new one may have the name of an old one."""
        self.delete(plan.delete)
        for obj in plan.create:
            stored = self._writer.create(DEVICES, obj)
            self._world.devices.learn(key_of(stored), keep_object(stored))
        for name, changes in plan.spec_patches.items():
            self._patch(name, changes)
        for name, changes in plan.status_patches.items():
            self._patch(name, changes, "status")

    def delete(self, objects: Iterable[Json]) -> None:
        """Delete devices."""
        for obj in objects:
            self._writer.delete(DEVICES, obj)
            self._world.devices.forget(key_of(obj))

    def write_statuses(self, objects: Iterable[Json], holdings: Holdings) -> None:
        """Say of each device whether and by whom it is held, where that has changed."""
        for obj in objects:
            spec = at(obj, "spec")
            held = holdings.of(as_text(spec.get("nodeName")), as_text(spec.get("deviceID")))
            changes = device_status(obj, held)
            if changes is not None:
                self._patch(name_of(obj), changes, "status")

    def _patch(self, name: str, changes: Json, subresource: str = "") -> None:
        obj = self._world.devices.get(("", name))
        if obj is None:  # it may have gone meanwhile, which is told to us as every change
            return
        try:
            stored = self._writer.patch(DEVICES, obj, changes, subresource)
            self._world.devices.update(key_of(stored), keep_object(stored))
        except ApiError as error:
            if error.status == GONE:
                # Its end was told before the answer to our making it, from which we learned of it again.
                self._world.devices.forget(("", name))
            raise
