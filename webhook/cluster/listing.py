"""Lists in pages, and single objects, of a watched resource."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

from webhook.cluster.api import READ_SECONDS, Api, ApiError, Query
from webhook.cluster.store import Key
from webhook.core.errors import ClusterUnavailable
from webhook.core.raw import as_text, at
from webhook.core.values.names import Json

T = TypeVar("T")

# client-go's page size. One page of pods of 5 KB is 2.5 MB: small for both sides.
PAGE_LIMIT: Final = 500
# Five million objects; a server that always has one more page must not hold us for ever.
MAX_PAGES: Final = 10_000


def key_of(obj: Json) -> Key:
    """Return namespace and name of an object."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not metadata.get("name"):
        raise ValueError("an object without metadata.name")
    return str(metadata.get("namespace") or ""), str(metadata["name"])


def uid_of(obj: Json) -> Key:
    """Return what tells an object from a later one of its name."""
    metadata = at(obj, "metadata")
    uid = as_text(metadata.get("uid"))
    if not uid:
        raise ValueError("an object without metadata.uid")
    return as_text(metadata.get("namespace")), uid


@dataclass(frozen=True, slots=True)
class Resource(Generic[T]):
    """A collection of the API server and what is kept of each of its objects."""

    kind: str
    prefix: str
    """The API's path, such as /api/v1."""
    plural: str
    keep: Callable[[Json], T | None]
    """What is remembered of an object; None when it is of no interest."""
    query: Query = field(default_factory=dict)
    key: Callable[[Json], Key] = key_of
    """What tells the objects apart: the name, or the uid where one of the same name is another object."""

    @property
    def group(self) -> str:
        """The API group, empty for the core of Kubernetes."""
        return self.prefix.split("/")[2] if self.prefix.startswith("/apis/") else ""

    def path(self, namespace: str = "", name: str = "") -> str:
        """Return the path of the collection, in one namespace or in all, or of one object."""
        parts = [self.prefix]
        if namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        return "/".join(parts)


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A complete list and the version of the collection that it shows."""

    items: list[tuple[Key, T]]
    version: str


def list_all(
    api: Api, resource: Resource[T], namespace: str = "", seconds: float = READ_SECONDS
) -> Listing[T]:
    """Read a collection in pages of one consistent version.

    When the version expires between two pages, everything is read again at once: a list without pages cannot
    expire (client-go's tools/pager does the same). Raises ClusterUnavailable.
    """
    path = resource.path(namespace)
    try:
        return _list_pages(api, resource, path, {"limit": PAGE_LIMIT}, seconds)
    except ApiError as error:
        if error.status != 410:
            raise
    return _list_pages(api, resource, path, {}, seconds)


def read_one(api: Api, path: str, seconds: float = READ_SECONDS) -> Json | None:
    """Read one object; None if there is none. Raises ClusterUnavailable."""
    try:
        return api.get(path, seconds=seconds)
    except ApiError as error:
        if error.status == 404:
            return None
        raise


def _list_pages(api: Api, resource: Resource[T], path: str, limit: Query, seconds: float) -> Listing[T]:
    items: list[tuple[Key, T]] = []
    token = ""
    for _ in range(MAX_PAGES):
        position = {"continue": token} if token else {}
        page = api.get(path, {**resource.query, **limit, **position}, seconds=seconds)
        items += _kept(page.get("items"), resource)
        metadata = page.get("metadata") or {}
        token = metadata.get("continue") or ""
        if not token:
            return Listing(items, str(metadata.get("resourceVersion") or ""))
    raise ClusterUnavailable(f"the list of {resource.kind} does not end after {MAX_PAGES} pages")


def _kept(objects: Any, resource: Resource[T]) -> list[tuple[Key, T]]:
    kept = ((resource.key(obj), resource.keep(obj)) for obj in objects or ())
    return [(key, value) for key, value in kept if value is not None]


def keep_whole(obj: Json) -> Json:
    """Keep everything."""
    return obj
