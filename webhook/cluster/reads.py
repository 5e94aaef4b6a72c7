"""Whole collections and single objects, each read once: for commands that look at a cluster and end.

The same questions to a real API server and to a folder of manifests. What a `Resource` keeps of an object
decides what is seen; its query only spares a real server what would be dropped anyway.
"""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from webhook.cluster.api import Api, ApiError
from webhook.cluster.folder import FolderCluster
from webhook.cluster.listing import Resource, list_all, read_one
from webhook.core.errors import BadInput
from webhook.core.values.names import GROUP, Json

T = TypeVar("T")


class UnknownKind(BadInput):
    """The API server does not know the kind."""


class Reads(Protocol):
    """What a command may read. Both raise ClusterUnavailable; where rights are lacking ApiError with 403."""

    def all(self, resource: Resource[T], namespace: str = "") -> Sequence[T]:
        """Return what is kept of a collection, in one namespace or in all.

        Raises UnknownKind when the cluster does not know the kind.
        """

    def one(self, resource: Resource[Any], name: str, namespace: str = "") -> Json | None:
        """Return one object as it stands; None if there is none."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Spare a command the garbage collector while it takes much in, none of it in cycles.

    Else it walks over all that is kept again and again: of 6.6 s that 5,000 nodes took, 4.2 were this.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class LiveReads:
    """Reads from an API server, in pages."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def all(self, resource: Resource[T], namespace: str = "") -> Sequence[T]:
        """Return what is kept of a collection."""
        try:
            with collector_paused():
                return [value for _, value in list_all(self._api, resource, namespace).items]
        except ApiError as error:
            if error.status != 404:
                raise
            raise unknown_kind(resource) from error

    def one(self, resource: Resource[Any], name: str, namespace: str = "") -> Json | None:
        """Return one object."""
        return read_one(self._api, resource.path(namespace, name))


class FolderReads:
    """Reads from a folder. Pods and quotas are as the webhook and the API server would have stored them."""

    def __init__(self, folder: FolderCluster) -> None:
        self._folder = folder

    def all(self, resource: Resource[T], namespace: str = "") -> Sequence[T]:
        """Return what is kept of a collection."""
        stored = self._folder.stored(resource.group, resource.kind, namespace)
        return [kept for obj in stored if (kept := resource.keep(obj)) is not None]

    def one(self, resource: Resource[Any], name: str, namespace: str = "") -> Json | None:
        """Return one object."""
        stored = self._folder.stored(resource.group, resource.kind, namespace)
        return next((obj for obj in stored if obj["metadata"]["name"] == name), None)


def unknown_kind(resource: Resource[Any]) -> UnknownKind:
    """Return what is said of a cluster that does not know a kind."""
    text = f"the cluster does not know {resource.kind}"
    if resource.group == GROUP:
        text += (
            ": apply the CustomResourceDefinitions of the chart, or name a folder of manifests with "
            "--manifests DIR"
        )
    return UnknownKind(text)
