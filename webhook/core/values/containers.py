"""The containers of a pod spec, whatever its shape.

What has the wrong type is passed over: it is the API server's to refuse, not ours to stumble over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from webhook.core.raw import as_mapping, as_text
from webhook.core.values import names
from webhook.core.values.names import Json
from webhook.core.values.quantity import units_or_zero

CONTAINERS: Final = "containers"
INIT_CONTAINERS: Final = "initContainers"
EPHEMERAL_CONTAINERS: Final = "ephemeralContainers"
LIMITS: Final = "limits"
REQUESTS: Final = "requests"


@dataclass(slots=True)  # not frozen: each review makes dozens, and frozen ones take three times as long
class ContainerRef:
    """One container and where it stands: `spec.<kind>[<index>]`."""

    kind: str
    index: int
    name: str
    container: Json
    limits: Mapping[str, Any]
    requests: Mapping[str, Any]
    is_plain: bool
    """Whether it asks for nothing but Kubernetes' own resources, as most containers: no key names a class."""

    @property
    def is_sidecar(self) -> bool:
        """Whether it is an init container that keeps running beside the others."""
        return self.kind == INIT_CONTAINERS and self.container.get("restartPolicy") == "Always"

    @property
    def title(self) -> str:
        """The container as messages name it."""
        word = {CONTAINERS: "container", INIT_CONTAINERS: "init container"}.get(
            self.kind, "ephemeral container"
        )
        return f'{word} "{self.name}"' if self.name else f"{self.kind}[{self.index}]"

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the container within the pod spec."""
        return (self.kind, self.index)

    def amounts(self, field: str) -> Mapping[str, Any]:
        """Return `limits` or `requests` as it stands; empty when absent or no map."""
        return self.limits if field == LIMITS else self.requests

    def may_hold(self, field: str) -> bool:
        """Whether amounts can be added to `limits` or `requests`: it is a map, or absent."""
        resources = self.container.get("resources")
        return resources is None or (
            isinstance(resources, dict) and isinstance(resources.get(field), dict | None)
        )

    def class_amounts(self) -> Mapping[str, Any]:
        """Return class name to amount as typed, of the stored keys; limits count before requests."""
        prefix = names.STORED_PREFIX
        return {
            key[len(prefix) :]: value
            for amounts in (self.requests, self.limits)
            for key, value in amounts.items()
            if key.startswith(prefix)
        }

    def units(self) -> Mapping[str, int]:
        """Return class name to units of what the container asks for; zero and unreadable amounts are none."""
        read = ((name, units_or_zero(value)) for name, value in self.class_amounts().items())
        return {name: units for name, units in read if units}


def containers(pod_spec: Any, *kinds: str) -> Iterator[ContainerRef]:
    """Yield the containers of a pod spec, init containers first (or those of `kinds` alone)."""
    if not isinstance(pod_spec, dict):
        return
    for kind in kinds or (INIT_CONTAINERS, CONTAINERS):
        items = pod_spec.get(kind)
        if isinstance(items, list):
            for index, item in enumerate(items):
                if isinstance(item, dict):
                    yield _ref(kind, index, item)


def _ref(kind: str, index: int, container: Json) -> ContainerRef:
    resources = as_mapping(container.get("resources"))
    limits, requests = as_mapping(resources.get(LIMITS)), as_mapping(resources.get(REQUESTS))
    standard = names.STANDARD_NAMES.issuperset
    is_plain = standard(limits) and standard(requests)
    return ContainerRef(kind, index, as_text(container.get("name")), container, limits, requests, is_plain)
