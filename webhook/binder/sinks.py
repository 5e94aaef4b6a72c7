"""The collections that the books are kept from, and how each gets into them."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from webhook.binder.books import Books
from webhook.cluster.listing import Resource, key_of
from webhook.cluster.store import Key, Store
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.raw import at
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import (
    AVAILABLE,
    BOUND,
    BadDevice,
    ExtendedResource,
    parse_extended_resource,
)
from webhook.core.values.names import API_VERSION, Json
from webhook.serve.logging import Repeated

_CORE: Final = "/api/v1"
_OURS: Final = f"/apis/{API_VERSION}"
_LEASES: Final = "/apis/coordination.k8s.io/v1/namespaces/"

_unreadable = Repeated(logging.getLogger(__name__))


def keep_device(obj: Json) -> ExtendedResource | None:
    """Return a device; None, with a line in the log, of an object that names none."""
    try:
        device = parse_extended_resource(obj)
    except BadDevice as error:
        _unreadable.warn(f"ExtendedResource {key_of(obj)[1]} is passed over", error)
        return None
    # Which devices are bound is said by the pods: the controller's word for it must not make a change here.
    return replace(device, phase=AVAILABLE) if device.phase == BOUND else device


def keep_nothing(obj: Json) -> bool:  # noqa: ARG001 - what a Resource calls
    """Keep that a node exists: its heartbeats are no change."""
    return True


def keep_lease(obj: Json) -> Json:
    """Keep a Lease."""
    return {"spec": at(obj, "spec")}


NODES: Final[Resource[bool]] = Resource("Node", _CORE, "nodes", keep_nothing)
DEVICES: Final[Resource[ExtendedResource]] = Resource(
    "ExtendedResource", _OURS, "extendedresources", keep_device
)


def lease(namespace: str, name: str) -> Resource[Json]:
    """Return the collection of one Lease."""
    query = {"fieldSelector": f"metadata.name={name}"}
    return Resource("Lease", f"{_LEASES}{namespace}", "leases", keep_lease, query)


class ClassSink:
    """Takes in classes, which are read all together."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._store: Store[Json] = Store()

    def replace(self, items: Iterable[tuple[Key, Json]]) -> None:
        """Take all classes."""
        self._store.replace(items)
        self._read()

    def put(self, key: Key, value: Json) -> None:
        """Take in a class; what its status says is no change."""
        before = self._store.generation
        self._store.put(key, value)
        if self._store.generation != before:
            self._read()

    def remove(self, key: Key) -> None:
        """Forget a class."""
        self._store.remove(key)
        self._read()

    def _read(self) -> None:
        self._books.set_classes(Classes.of(self._store.snapshot()[1]))


class DeviceSink:
    """Takes in devices."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def replace(self, items: Iterable[tuple[Key, ExtendedResource]]) -> None:
        """Take all devices."""
        self._books.replace_devices({name: device for (_, name), device in items})

    def put(self, key: Key, value: ExtendedResource) -> None:
        """Take in a device."""
        self._books.put_device(key[1], value)

    def remove(self, key: Key) -> None:
        """Forget a device."""
        self._books.remove_device(key[1])


class PodSink:
    """Takes in pods, told apart by uid."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def replace(self, items: Iterable[tuple[Key, PodEntry]]) -> None:
        """Take all pods."""
        self._books.replace_pods({uid: entry for (_, uid), entry in items})

    def put(self, key: Key, value: PodEntry) -> None:  # noqa: ARG002 - a Sink's signature
        """Take in a pod."""
        self._books.put_pod(value)

    def remove(self, key: Key) -> None:
        """Forget a pod."""
        self._books.remove_pod(key[1])


class NodeSink:
    """Takes in the names of nodes."""

    def __init__(self, books: Books) -> None:
        self._books = books

    def replace(self, items: Iterable[tuple[Key, bool]]) -> None:
        """Take all nodes."""
        self._books.replace_nodes(name for (_, name), _ in items)

    def put(self, key: Key, value: bool) -> None:  # noqa: ARG002 - a Sink's signature
        """Take in a node."""
        self._books.put_node(key[1])

    def remove(self, key: Key) -> None:
        """Forget a node."""
        self._books.remove_node(key[1])


class LeaseSink:
    """Takes in the one Lease that is followed."""

    def __init__(self, saw: Callable[[Json | None], None]) -> None:
        self._saw = saw

    def replace(self, items: Iterable[tuple[Key, Json]]) -> None:
        """Take the Lease, or that there is none."""
        self._saw(next((value for _, value in items), None))

    def put(self, key: Key, value: Json) -> None:  # noqa: ARG002 - a Sink's signature
        """Take in the Lease."""
        self._saw(value)

    def remove(self, key: Key) -> None:  # noqa: ARG002 - a Sink's signature
        """Forget the Lease."""
        self._saw(None)
