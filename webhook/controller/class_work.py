"""The ResourceClasses: one for each model of device, and the status of every one."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Final

from webhook.cluster.api import ApiError
from webhook.cluster.events import time_text
from webhook.cluster.listing import key_of
from webhook.controller.counts import Counts
from webhook.controller.kept import CLASSES, keep_object
from webhook.controller.world import World
from webhook.controller.writing import Writer
from webhook.core.inventory.class_objects import counted_as_adopted, plan_classes
from webhook.core.inventory.class_status import class_status
from webhook.core.raw import as_text, at
from webhook.core.values.names import Json
from webhook.serve.logging import Repeated, event

_log: Final = logging.getLogger(__name__)
_warnings: Final = Repeated(_log)

Kind = tuple[str, str]
"""Vendor and model."""


class ClassMaker:
    """Sees to it that there is a class for every model. One thread at a time makes classes."""

    def __init__(self, world: World, writer: Writer, *, remove_unused: bool) -> None:
        self._world = world
        self._writer = writer
        self._remove_unused = remove_unused
        self._lock = Lock()
        self._known: set[Kind] = set()

    def ensure(self, devices: Iterable[Json]) -> bool:
        """Make the classes of these devices, so that their node shows them at once.

        One that the API server refuses keeps its node from nothing else. False says, once, that the caller
        has to see to it that it is tried again.
        """
        if {_kind(at(obj, "spec", "properties")) for obj in devices} <= self._known:
            return True
        with self._lock:
            try:
                self._make()
            except ApiError:
                return False
        return True

    def __call__(self, _: str) -> None:
        """Look at all devices: make the classes that are missing, remove what nobody needs if asked to."""
        with self._lock:
            try:
                self._make()
            finally:
                self._count_adopted()

    def _make(self) -> None:
        kinds = _kinds(self._world.devices.all())
        plan = plan_classes(kinds.values(), self._world.classes.all(), self._world.asked_classes())
        for text in plan.warnings:
            _warnings.warn(text)
        refused = [error for obj in plan.create if (error := self._create(obj))]
        for name in plan.stale if self._remove_unused else ():
            self._remove(name)
        # Those refused too: whoever hears of it tries again later, and not once more for each node.
        self._known = set(kinds)
        if refused:
            raise refused[0]

    def _create(self, obj: Json) -> ApiError | None:
        """Make a class; returns why the API server refuses it, which concerns no other class."""
        try:
            stored = self._writer.create(CLASSES, obj)
        except ApiError as error:
            return error
        # Not only learned: other nodes may have devices of it too.
        self._world.classes.put(key_of(stored), keep_object(stored))
        event(_log, logging.INFO, "class made", name=obj["metadata"]["name"])
        return None

    def _count_adopted(self) -> None:
        patches = counted_as_adopted(self._world.classes.all(), self._world.adopting_classes())
        for name, changes in patches.items():
            obj = self._world.classes.get(("", name))
            if obj is not None:
                stored = self._writer.patch(CLASSES, obj, changes)
                self._world.classes.put(key_of(stored), keep_object(stored))
                event(_log, logging.INFO, "class of adopted pods counted by a vendor's plugin", name=name)

    def _remove(self, name: str) -> None:
        obj = self._world.classes.get(("", name))
        if obj is not None:
            self._writer.delete(CLASSES, obj)
            event(_log, logging.INFO, "unused class removed", name=name)


class ClassStatus:
    """Writes the status of one class, where it has changed."""

    def __init__(
        self, world: World, writer: Writer, counts: Counts, wall: Callable[[], float] = time.time
    ) -> None:
        self._world = world
        self._writer = writer
        self._counts = counts
        self._wall = wall

    def __call__(self, name: str) -> None:
        """Bring the status of the class up to date."""
        obj = self._world.classes.get(("", name))
        if obj is None:
            return
        classes, _ = self._world.read_classes()
        problems = classes.broken.get(name, ())
        changes = class_status(obj, self._counts.total(name), problems, time_text(self._wall()))
        if changes is not None:
            stored = self._writer.patch(CLASSES, obj, changes, "status")
            self._world.classes.update(key_of(stored), keep_object(stored), tell=True)


def _kind(properties: Mapping[str, str]) -> Kind:
    return as_text(properties.get("vendor")), as_text(properties.get("model"))


def _kinds(devices: Iterable[Json]) -> dict[Kind, Mapping[str, str]]:
    """Return the properties of one device of each model."""
    found = (at(obj, "spec", "properties") for obj in devices)
    return {_kind(properties): properties for properties in found}
