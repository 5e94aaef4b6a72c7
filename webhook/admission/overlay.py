"""A cluster with more objects laid over it: what it would answer if they had been created.

For commands that judge several manifests at once without writing any. An object that is laid over one of
the same name takes its place, so a pod that runs already is not counted twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from webhook.admission.ports import Cluster
from webhook.cluster.identity import ObjectId, identify
from webhook.core.raw import at
from webhook.core.validate.scopes import counts
from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind, device_kinds
from webhook.core.values.names import GROUP, Json, class_of_quota_key
from webhook.core.values.quantity import NANOS, BadQuantity, Quantity, parse_quantity
from webhook.core.values.usage import Usage, usage_of


class Overlay:
    """The ports of admission over `base` and what has been put on top of it. For one thread."""

    def __init__(self, base: Cluster) -> None:
        self._base = base
        self._objects: dict[ObjectId, Json] = {}
        self._replaced: ObjectId | None = None

    def put(self, document: Json) -> None:
        """Lay an object over the cluster."""
        self._objects[identify(document)] = document

    @contextmanager
    def replacing(self, document: Json) -> Iterator[None]:
        """Leave the object of this name out while a new one is judged."""
        self._replaced = identify(document)
        try:
            yield
        finally:
            self._replaced = None

    def of_kind(self, kind: str, namespace: str | None = None) -> list[Json]:
        """Return the objects of a kind that were put here, in one namespace or in all."""
        return [
            document
            for key, document in self._objects.items()
            if key.kind == kind and namespace in (None, key.namespace) and key != self._replaced
        ]

    def not_ready(self) -> Sequence[str]:
        """Return what the cluster below still waits for."""
        return self._base.not_ready()

    def classes(self) -> Classes:
        """Return all classes."""
        classes = self._base.classes()
        for document in self.of_kind("ResourceClass"):
            classes = classes.with_object(document)
        return classes

    def classes_in_doubt(self) -> bool:
        """Return what the cluster below says of its own."""
        return self._base.classes_in_doubt()

    def fresh_class(self, name: str) -> Json | None:
        """Return one ResourceClass."""
        return self._objects.get(ObjectId(GROUP, "ResourceClass", "", name)) or self._base.fresh_class(name)

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the labels of a namespace."""
        document = self._objects.get(ObjectId("", "Namespace", "", name))
        if document is None:
            return self._base.namespace_labels(name)
        return at(document, "metadata", "labels")

    def fresh_namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the same, of a namespace below read now."""
        on_top = ObjectId("", "Namespace", "", name) in self._objects
        return self.namespace_labels(name) if on_top else self._base.fresh_namespace_labels(name)

    def quotas(self, namespace: str) -> Sequence[Json]:
        """Return the quotas of a namespace, with what the pods on top use."""
        return self._counted(namespace, self._base.quotas(namespace))

    def fresh_quotas(self, namespace: str) -> Sequence[Json]:
        """Return the same, with the quotas below read now."""
        return self._counted(namespace, self._base.fresh_quotas(namespace))

    def usage(self, class_name: str, namespace: str | None = None) -> Sequence[Usage]:
        """Return the unfinished pods that ask for a class."""
        below = [use for use in self._base.usage(class_name, namespace) if not self._replaces(use)]
        above = [use for pod in self.of_kind("Pod", namespace) for use in usage_of(pod)]
        return below + [use for use in above if use.class_name == class_name]

    def device_kinds(self) -> Sequence[DeviceKind]:
        """Return the kinds of device, those of ExtendedResources on top included."""
        return [*self._base.device_kinds(), *device_kinds(self.of_kind("ExtendedResource"))]

    def _replaces(self, use: Usage) -> bool:
        key = ObjectId("", "Pod", use.namespace, use.pod)
        return key == self._replaced or key in self._objects

    def _counted(self, namespace: str, below: Sequence[Json]) -> list[Json]:
        on_top = self.of_kind("ResourceQuota", namespace)
        hidden = {identify(quota).name for quota in on_top}
        kept = [quota for quota in below if at(quota, "metadata").get("name") not in hidden]
        return [self._with_more_used(quota, namespace) for quota in kept] + [
            self._with_status(quota, namespace) for quota in on_top
        ]

    def _with_more_used(self, quota: Json, namespace: str) -> Json:
        """Return a quota of the cluster, whose status already counts the pods below."""
        status = at(quota, "status")
        used = dict(at(status, "used"))
        for key, amount in tuple(used.items()):
            name = class_of_quota_key(key)
            if name is not None:
                more = self._units_on_top(quota, name, namespace) - self._units_replaced(name, namespace)
                used[key] = str(Quantity(_nanos(amount) + more * NANOS))
        return {**quota, "status": {**status, "used": used}}

    def _with_status(self, quota: Json, namespace: str) -> Json:
        """Return a quota on top with the status that the API server would give it."""
        hard = at(quota, "spec", "hard")
        used: dict[str, Any] = {}
        for key in hard:
            name = class_of_quota_key(key)
            if name is not None:
                below = sum(use.units for use in self._base.usage(name, namespace) if not self._replaces(use))
                used[key] = str(below + self._units_on_top(quota, name, namespace))
        return {**quota, "status": {"hard": dict(hard), "used": used}}

    def _units_on_top(self, quota: Json, class_name: str, namespace: str) -> int:
        return sum(use.units for use in self._uses_on_top(quota, namespace) if use.class_name == class_name)

    def _uses_on_top(self, quota: Json, namespace: str) -> Iterator[Usage]:
        for pod in self.of_kind("Pod", namespace):
            if counts(quota, pod):
                yield from usage_of(pod)

    def _units_replaced(self, class_name: str, namespace: str) -> int:
        return sum(use.units for use in self._base.usage(class_name, namespace) if self._replaces(use))


def _nanos(amount: Any) -> int:
    try:
        return parse_quantity(amount).nanos
    except BadQuantity:
        return 0
