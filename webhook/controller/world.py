"""What the controller knows of the cluster, and what is to be done when it changes."""

from threading import RLock
from typing import Final, Protocol

from webhook.cluster.listing import key_of
from webhook.controller.kept import is_same_node, node_of, version_of
from webhook.controller.queue import Key
from webhook.controller.table import Table
from webhook.core.placement.membership import Membership
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.raw import as_text, at, name_of
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.names import ADOPT_LABEL, Json

# The kinds of work: one node with its devices; which classes there must be; the status of one class; the
# default quota of one namespace; and all nodes or all namespaces anew.
NODE: Final = "node"
CLASSES: Final = "classes"
CLASS_STATUS: Final = "class-status"
QUOTA: Final = "quota"
SWEEP: Final = "sweep"
NODES: Final = "nodes"
NAMESPACES: Final = "namespaces"

# Changes come in crowds: what looks at the whole cluster waits for the rest of the crowd.
CROWD_SECONDS: Final = 1.0


class Told(Protocol):
    """Who is told what to work on. Both return at once."""

    def add(self, key: Key) -> None:
        """Work on this soon."""

    def add_after(self, key: Key, seconds: float) -> None:
        """Work on this later."""


class World:
    """The tables, filled by watches, and what is derived from them."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._lock = RLock()
        self.nodes: Table[Json] = Table(self._lock, self._node_changed, version=version_of, same=is_same_node)
        self.devices: Table[Json] = Table(self._lock, self._device_changed, node_of, version_of)
        self.pods: Table[PodEntry] = Table(self._lock, self._pod_changed, lambda pod: pod.node)
        self.classes: Table[Json] = Table(self._lock, self._class_changed, version=version_of)
        self.namespaces: Table[Json] = Table(self._lock, self._namespace_changed)
        self.quotas: Table[Json] = Table(self._lock, self._quota_changed, lambda quota: key_of(quota)[0])
        self._read: tuple[Classes, Membership] | None = None

    def read_classes(self) -> tuple[Classes, Membership]:
        """Return the classes as they are now, and which devices belong to which."""
        with self._lock:
            if self._read is None:
                classes = Classes.of(self.classes.all())
                self._read = classes, Membership(classes)
            return self._read

    def adopting_classes(self) -> set[str]:
        """Return the names of the classes that namespaces adopt their plain pods for."""
        return {name for obj in self.namespaces.all() if (name := _adopter(obj))}

    def node_names(self) -> set[str]:
        """Return the nodes that exist, and those that devices speak of."""
        return {*map(name_of, self.nodes.all()), *self.devices.words()}

    def asked_classes(self) -> set[str]:
        """Return the names of the classes that unfinished pods ask for."""
        return {name for pod in self.pods.all() for name in demand(pod.spec).units}

    # What the watches bring; with the lock held.

    def _node_changed(self, before: Json | None, after: Json | None) -> None:
        self._told.add(Key(NODE, name_of(after or before or {})))

    def _device_changed(self, before: Json | None, after: Json | None) -> None:
        for node in {node_of(each) for each in (before, after) if each is not None}:
            self._told.add(Key(NODE, node))
        if at(before or {}, "spec") != at(after or {}, "spec"):
            self._told.add_after(Key(CLASSES), CROWD_SECONDS)

    def _pod_changed(self, before: PodEntry | None, after: PodEntry | None) -> None:
        for node in {each.node for each in (before, after) if each is not None and each.node}:
            self._told.add(Key(NODE, node))

    def _class_changed(self, before: Json | None, after: Json | None) -> None:
        old, new = at(before or {}, "spec"), at(after or {}, "spec")
        if before is not None and after is not None and old == new:
            return
        self._read = None
        self._told.add_after(Key(SWEEP, NODES), CROWD_SECONDS)
        self._told.add_after(Key(CLASSES), CROWD_SECONDS)
        self._told.add_after(Key(CLASS_STATUS, name_of(after or before or {})), CROWD_SECONDS)
        if "quota" in old or "quota" in new:
            self._told.add_after(Key(SWEEP, NAMESPACES), CROWD_SECONDS)

    def _namespace_changed(self, before: Json | None, after: Json | None) -> None:
        self._told.add(Key(QUOTA, name_of(after or before or {})))
        if _adopter(after or {}) not in ("", _adopter(before or {})):
            self._told.add_after(Key(CLASSES), CROWD_SECONDS)

    def _quota_changed(self, before: Json | None, after: Json | None) -> None:
        namespace, _ = key_of(after or before or {})
        self._told.add(Key(QUOTA, namespace))


def _adopter(namespace: Json) -> str:
    return as_text(at(namespace, "metadata", "labels").get(ADOPT_LABEL))
