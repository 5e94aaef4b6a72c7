"""All objects of a folder cluster at one moment, and the answers that follow from them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from webhook.cluster.charge import plus, used_of
from webhook.cluster.identity import ObjectId
from webhook.core.mutate.rename import Speller, container_spelling, of_existing, quota_spelling, rename
from webhook.core.raw import as_mapping, at
from webhook.core.values.classes import Classes
from webhook.core.values.containers import CONTAINERS, INIT_CONTAINERS, LIMITS, REQUESTS
from webhook.core.values.device import DeviceKind, device_kinds
from webhook.core.values.names import GROUP, Json
from webhook.core.values.usage import Usage, usage_of

_CLASS: Final = (GROUP, "ResourceClass")
_DEVICE: Final = (GROUP, "ExtendedResource")
_POD: Final = ("", "Pod")
_QUOTA: Final = ("", "ResourceQuota")


class View:
    """An immutable state. Pods and quotas count as if the webhook had stored them: bare names are renamed."""

    def __init__(self, objects: Mapping[ObjectId, Json], written: frozenset[ObjectId]) -> None:
        """Take the objects, and which of them were made here and stand in no file."""
        self.objects = objects
        self._written = written

    @cached_property
    def classes(self) -> Classes:
        """All ResourceClasses."""
        return Classes.of(obj for _, obj in self._of(_CLASS))

    @cached_property
    def device_kinds(self) -> Sequence[DeviceKind]:
        """The kinds of device with their counts."""
        return device_kinds(obj for _, obj in self._of(_DEVICE))

    @cached_property
    def usage(self) -> Sequence[Usage]:
        """What every unfinished pod uses."""
        return [usage for pod in self._pods.values() for usage in usage_of(pod)]

    def class_object(self, name: str) -> Json | None:
        """Return one ResourceClass as it was written."""
        return self.objects.get(ObjectId(*_CLASS, "", name))

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the labels of a namespace; empty if no manifest describes it."""
        return at(self.objects.get(ObjectId("", "Namespace", "", name), {}), "metadata", "labels")

    def stored(self, group: str, kind: str, namespace: str = "") -> list[Json]:
        """Return the objects of a kind as they would be stored, in one namespace or in all."""
        own = [(key, obj) for key, obj in self._of((group, kind)) if namespace in ("", key.namespace)]
        if (group, kind) == _POD:
            return [self._pods[key] for key, _ in own]
        if (group, kind) == _QUOTA:
            return [self._with_status(key.namespace, obj) for key, obj in own]
        return [obj for _, obj in own]

    def quotas(self, namespace: str) -> list[Json]:
        """Return the quotas of a namespace with their status; of no namespace there is none."""
        return self.stored(*_QUOTA, namespace) if namespace else []

    @cached_property
    def _pods(self) -> Mapping[ObjectId, Json]:
        return {key: self._stored_pod(obj) for key, obj in self._of(_POD)}

    def _of(self, kind: tuple[str, str]) -> Iterator[tuple[ObjectId, Json]]:
        return ((key, obj) for key, obj in self.objects.items() if (key.group, key.kind) == kind)

    def _with_status(self, namespace: str, quota: Json) -> Json:
        """Play the quota controller. What the folder gives as used holds for before anything was written.

        One with a uid comes from a cluster, where it is stored as it stands here.
        """
        spec, given = as_mapping(quota.get("spec")), as_mapping(quota.get("status"))
        if not at(quota, "metadata").get("uid"):
            spec = self._renamed(spec, ("hard",), quota_spelling)
            given = self._renamed(given, ("hard", "used"), quota_spelling)
        stored = {**quota, "spec": spec}
        pods = (
            pod
            for key, pod in self._pods.items()
            if key.namespace == namespace and ("used" not in given or key in self._written)
        )
        used = plus(used_of(stored, pods), given.get("used"))
        return {**stored, "status": {"hard": spec.get("hard", {}), **given, "used": used}}

    def _stored_pod(self, pod: Json) -> Json:
        spec = at(pod, "spec")
        kinds = [kind for kind in (CONTAINERS, INIT_CONTAINERS) if isinstance(spec.get(kind), list)]
        return {
            **pod,
            "spec": {**spec, **{kind: [self._stored_container(c) for c in spec[kind]] for kind in kinds}},
        }

    def _stored_container(self, container: Any) -> Any:
        if not isinstance(container, dict):
            return container
        resources = self._renamed(container.get("resources"), (LIMITS, REQUESTS), container_spelling)
        return {**container, "resources": resources}

    def _renamed(self, holder: Any, fields: tuple[str, ...], spell: Speller) -> Json:
        """Return `holder` with the bare names in its maps of amounts replaced; what is no map is left out."""
        result = dict(as_mapping(holder))
        for field in fields:
            amounts = result.pop(field, None)
            if isinstance(amounts, dict):
                result[field] = rename(amounts, spell, of_existing(self.classes)).amounts
        return result
