"""What a pod with a node has: its devices, why they are of their classes, who shares them, what is wrong."""

from collections.abc import Callable, Iterator
from typing import Final

from webhook.core.explain.answer import DeviceHeld, State, Verdict
from webhook.core.explain.scene import Devices, Scene
from webhook.core.inventory.holdings import over_held
from webhook.core.placement.reasons import size_text
from webhook.core.text import list_of
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import RECORD_ANNOTATION
from webhook.core.values.record import Allocation, DamagedRecord, Record, read_record
from webhook.core.values.resource_class import ResourceClass

Rule = Callable[[Scene, Record, Devices], Verdict | None]


def bound_verdict(scene: Scene) -> Verdict:
    """Say what the pod has, or what is wrong with it."""
    record = read_record(scene.pod)
    if record is None:
        return Verdict(
            State.NO_RECORD,
            f"{scene.title} is on {scene.node} without a record of devices: it was bound past the binder",
            ("delete it and let the scheduler place it; static pods stay so, and devices are held back",),
        )
    if isinstance(record, DamagedRecord):
        return Verdict(
            State.DAMAGED_RECORD,
            f"the record of {scene.title} is damaged: {'; '.join(record.problems)}",
            (f"have an administrator write {RECORD_ANNOTATION} as it was, or delete the pod",),
        )
    if scene.devices is not None:
        for rule in _RULES:
            found = rule(scene, record, scene.devices)
            if found is not None:
                return found
    return Verdict(State.BOUND, f"{scene.title} has {_summary(record)} on {scene.node}")


def _summary(record: Record) -> str:
    texts = []
    for container, items in sorted(record.containers.items()):
        for item in items:
            part = f"{size_text(item.memory_bytes)} of " if item.memory_bytes else ""
            texts.append(f"{part}device {item.device} ({item.class_name}, container {container})")
    return list_of(texts, 8) or "no device"


def _held_twice(scene: Scene, record: Record, devices: Devices) -> Verdict | None:
    for _, _, device in _own(scene, record, devices):
        held = devices.holdings.of(scene.node, device.device_id) if device else None
        told = over_held(device, held) if device and held else None
        if device and held and told:
            return Verdict(
                State.HELD_TWICE,
                f"device {device.device_id} on {scene.node} is held beyond what it can serve, by "
                f"{list_of(held.pods)}: {told}",
                ("delete all of these pods but one, then find out who wrote the records",),
            )
    return None


def _gone(scene: Scene, record: Record, devices: Devices) -> Verdict | None:
    for device_id, _, device in _own(scene, record, devices):
        if device is None:
            return Verdict(
                State.DEVICE_GONE,
                f"{scene.title} holds device {device_id}, of which {scene.node} has no object any more",
                ("look whether the node still has the device; if not, delete the pod",),
            )
    return None


def _unhealthy(scene: Scene, record: Record, devices: Devices) -> Verdict | None:
    for device_id, _, device in _own(scene, record, devices):
        if device is not None and not device.is_healthy:
            return Verdict(
                State.DEVICE_UNHEALTHY,
                f"{scene.title} holds device {device_id} on {scene.node}, which is unhealthy",
                (f"kubectl get er {device.name} -o yaml says why; the pod keeps it until it ends",),
            )
    return None


def _own(
    scene: Scene, record: Record, devices: Devices
) -> Iterator[tuple[str, str, ExtendedResource | None]]:
    """Yield what the record names: device id, class, and the device if the node has it."""
    for items in record.containers.values():
        for item in items:
            yield item.device, item.class_name, _device(devices, scene.node, item.device)


def _device(devices: Devices, node: str, device_id: str) -> ExtendedResource | None:
    found = devices.nodes.get(node)
    index = found.devices.index.get(device_id) if found else None
    return found.devices.devices[index] if found is not None and index is not None else None


def held_devices(scene: Scene) -> tuple[DeviceHeld, ...]:
    """Return the devices of the pod, by container in the order of their names."""
    record = read_record(scene.pod)
    if not isinstance(record, Record):
        return ()
    devices = scene.devices or Devices()
    return tuple(
        _held(scene, devices, container, item)
        for container, items in sorted(record.containers.items())
        for item in items
    )


def _held(scene: Scene, devices: Devices, container: str, item: Allocation) -> DeviceHeld:
    device = _device(devices, scene.node, item.device)
    known = devices.classes.get(item.class_name)
    title = scene.title.removeprefix("pod ")
    held = devices.holdings.of(scene.node, item.device)
    return DeviceHeld(
        container=container,
        class_name=item.class_name,
        node=scene.node,
        device=item.device,
        memory_bytes=item.memory_bytes,
        because=_because(known, device) if known and device else (),
        is_member=bool(known and device and known.selector.matches(device.properties)),
        shared_with=tuple(pod for pod in held.pods if pod != title),
    )


def _because(known: ResourceClass, device: ExtendedResource) -> tuple[tuple[str, str], ...]:
    """Return the device's values of what the first term of the selector that holds asks about."""
    term = next(
        (term for term in known.selector.terms if all(part.matches(device.properties) for part in term)), ()
    )
    return tuple(dict.fromkeys((part.key, device.properties.get(part.key, "absent")) for part in term))


_RULES: Final[tuple[Rule, ...]] = (_held_twice, _gone, _unhealthy)
