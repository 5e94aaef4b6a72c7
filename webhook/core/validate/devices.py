"""Which devices could serve a class, and which other classes the same devices serve."""

from collections.abc import Iterator, Mapping

from webhook.core.validate.facts import WorkloadFacts
from webhook.core.validate.quota import judge
from webhook.core.values.device import DeviceKind
from webhook.core.values.memory import BadMemory, parse_device_memory
from webhook.core.values.names import Json
from webhook.core.values.resource_class import ResourceClass


def serves(kind: DeviceKind, resource_class: ResourceClass) -> bool:
    """Whether one device of this kind, empty, could serve one unit of the class."""
    share = resource_class.share_memory_bytes
    return resource_class.selector.matches(kind.properties) and (share is None or _memory(kind) >= share)


def _memory(kind: DeviceKind) -> int:
    try:
        return parse_device_memory(kind.properties.get("memory", "0"))
    except BadMemory:
        return 0


def is_open_to(resource_class: ResourceClass, namespace_labels: Mapping[str, str]) -> bool:
    """Whether `spec.namespaces` of the class lets a namespace with these labels use it."""
    return resource_class.namespaces is None or resource_class.namespaces.matches(namespace_labels)


def alternatives(
    pod: Json, units: Mapping[str, int], class_name: str, facts: WorkloadFacts
) -> tuple[str, ...]:
    """Return the classes that `pod` could ask for in place of a refused one, by name.

    They are served by a kind of device that serves the refused class too, are open to the namespace, take no
    less of a device, and the quotas have room for what the pod asks for under the new name.
    """
    refused = facts.classes.get(class_name)
    if refused is None:
        return ()
    asked = units.get(class_name, 0)
    return tuple(
        other.name
        for other in _of_the_same_devices(refused, facts)
        if is_open_to(other, facts.namespace_labels)
        and not judge(pod, {other.name: units.get(other.name, 0) + asked}, facts.quotas)
    )


def _of_the_same_devices(refused: ResourceClass, facts: WorkloadFacts) -> Iterator[ResourceClass]:
    kinds = [kind for kind in facts.device_kinds if serves(kind, refused)]
    if not kinds:
        return
    for other in facts.classes.all():
        if other.name == refused.name or not _takes_no_less(other, refused):
            continue
        if any(serves(kind, other) for kind in kinds):
            yield other


def _takes_no_less(other: ResourceClass, refused: ResourceClass) -> bool:
    if other.share_memory_bytes is None or refused.share_memory_bytes is None:
        return other.share_memory_bytes is refused.share_memory_bytes
    return other.share_memory_bytes >= refused.share_memory_bytes
