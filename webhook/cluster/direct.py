"""The ports of admission over a real API server by direct reads: for commands that run once and end."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from webhook.cluster.api import Api
from webhook.cluster.listing import Resource, read_one
from webhook.cluster.reads import LiveReads
from webhook.cluster.resources import DEVICES, NAMESPACES, PODS, QUOTAS, RESOURCE_CLASSES, keep_labels
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind, device_kinds
from webhook.core.values.names import Json
from webhook.core.values.usage import Usage

T = TypeVar("T")


class DirectCluster:
    """A cluster as it is when asked first: every answer is read once and kept, but for the fresh reads."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._reads = LiveReads(api)
        self._labels: dict[str, Mapping[str, str]] = {}
        self._quotas: dict[str, Sequence[Json]] = {}
        self._pods: dict[str, Sequence[tuple[Usage, ...]]] = {}

    def not_ready(self) -> Sequence[str]:
        """Return nothing: whatever is asked is read then."""
        return []

    def classes(self) -> Classes:
        """Return all classes. Raises BadInput when the cluster does not know the kind."""
        return self._classes

    def classes_in_doubt(self) -> bool:
        """Never: they were read for this command."""
        return False

    def fresh_class(self, name: str) -> Json | None:
        """Read one ResourceClass now."""
        return read_one(self._api, RESOURCE_CLASSES.path(name=name))

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the labels of a namespace; empty if there is none."""
        if name not in self._labels:
            self._labels[name] = self.fresh_namespace_labels(name)
        return self._labels[name]

    def fresh_namespace_labels(self, name: str) -> Mapping[str, str]:
        """Read the labels of a namespace now; empty if there is none."""
        found = read_one(self._api, NAMESPACES.path(name=name)) if name else None
        return keep_labels(found) if found is not None else {}

    def quotas(self, namespace: str) -> Sequence[Json]:
        """Return the quotas of a namespace."""
        if namespace not in self._quotas:
            self._quotas[namespace] = self.fresh_quotas(namespace)
        return self._quotas[namespace]

    def fresh_quotas(self, namespace: str) -> Sequence[Json]:
        """Read the quotas of a namespace now."""
        return self._list(QUOTAS, namespace)

    def usage(self, class_name: str, namespace: str | None = None) -> Sequence[Usage]:
        """Return the unfinished pods that ask for a class."""
        where = namespace or ""
        if where not in self._pods:
            self._pods[where] = self._list(PODS, where)
        return [usage for uses in self._pods[where] for usage in uses if usage.class_name == class_name]

    def device_kinds(self) -> Sequence[DeviceKind]:
        """Return the kinds of device with their counts."""
        return self._device_kinds

    @cached_property
    def _classes(self) -> Classes:
        return Classes.of(self._list(RESOURCE_CLASSES))

    @cached_property
    def _device_kinds(self) -> Sequence[DeviceKind]:
        return device_kinds(self._list(DEVICES))

    def _list(self, resource: Resource[T], namespace: str = "") -> Sequence[T]:
        return self._reads.all(resource, namespace)
