"""The ports of admission over a real API server: answers from watched caches, fresh reads on demand."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from webhook.cluster.api import Api
from webhook.cluster.cache import Cache
from webhook.cluster.listing import list_all, read_one
from webhook.cluster.resources import DEVICES, NAMESPACES, PODS, QUOTAS, RESOURCE_CLASSES, keep_labels
from webhook.cluster.shared_reads import SharedReads
from webhook.cluster.store import Derived
from webhook.cluster.watch_group import WatchGroup
from webhook.core.raw import at
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind, device_kinds
from webhook.core.values.names import Json
from webhook.core.values.usage import Usage

# An API server answers a read of one object in 1 ms and gives the webhook 5 s in all; a read that takes
# longer than this is given up, so that the caller can still be told to come again.
FRESH_SECONDS: Final = 1.0


class LiveCluster(WatchGroup):
    """A cluster as this process sees it. Make and start it after a fork; safe for many threads."""

    def __init__(
        self,
        api: Api,
        clock: Callable[[], float] = time.monotonic,
        between: Callable[[float, float], float] = random.uniform,
    ) -> None:
        super().__init__(clock, between)
        self._api = api
        self._classes = Cache(api, RESOURCE_CLASSES, self.timing)
        self._namespaces = Cache(api, NAMESPACES, self.timing)
        self._quotas = Cache(api, QUOTAS, self.timing)
        self._pods = Cache(api, PODS, self.timing)
        self._devices = Cache(api, DEVICES, self.timing)
        self.add(self._classes, self._namespaces, self._quotas, self._pods, self._devices)
        self._parsed_classes = Derived(self._classes.store, Classes.of)
        self._device_kinds = Derived(self._devices.store, device_kinds)
        self._quota_reads = SharedReads(self._read_quotas)

    def classes(self) -> Classes:
        """Return all known classes."""
        return self._parsed_classes.get()

    def classes_in_doubt(self) -> bool:
        """Whether no watch tells of classes that are changed, closed to a namespace or deleted."""
        return self._classes.is_stale

    def fresh_class(self, name: str) -> Json | None:
        """Read one ResourceClass now."""
        return read_one(self._api, RESOURCE_CLASSES.path(name=name), FRESH_SECONDS)

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the labels of a namespace; one that the cache lacks, or a stale cache, is read now."""
        known = None if self._namespaces.is_stale else self._namespaces.store.get(("", name))
        return known if known is not None else self.fresh_namespace_labels(name)

    def fresh_namespace_labels(self, name: str) -> Mapping[str, str]:
        """Read the labels of a namespace now; empty if there is none."""
        found = read_one(self._api, NAMESPACES.path(name=name), FRESH_SECONDS) if name else None
        return keep_labels(found) if found is not None else {}

    def quotas(self, namespace: str) -> Sequence[Json]:
        """Return the quotas of a namespace; a stale cache is passed by: a limit must never be overlooked."""
        if self._quotas.is_stale:
            return self.fresh_quotas(namespace)
        return self._quotas.store.of_namespace(namespace)

    def fresh_quotas(self, namespace: str) -> Sequence[Json]:
        """Read the quotas of a namespace now; of no namespace the API server would list those of all."""
        return self._quota_reads.get(namespace) if namespace else []

    def _read_quotas(self, namespace: str) -> Sequence[Json]:
        listing = list_all(self._api, QUOTAS, namespace, FRESH_SECONDS)
        return [quota for _, quota in listing.items]

    def quota_uid(self, namespace: str, name: str) -> str:
        """Return the uid of a quota as last seen; empty where it is not known."""
        quota = self._quotas.store.get((namespace, name))
        return str(at(quota or {}, "metadata").get("uid") or "")

    def usage(self, class_name: str, namespace: str | None = None) -> Sequence[Usage]:
        """Return the unfinished pods that ask for a class."""
        store = self._pods.store
        pods = store.snapshot()[1] if namespace is None else store.of_namespace(namespace)
        return [usage for uses in pods for usage in uses if usage.class_name == class_name]

    def device_kinds(self) -> Sequence[DeviceKind]:
        """Return the kinds of device with their counts."""
        return self._device_kinds.get()
