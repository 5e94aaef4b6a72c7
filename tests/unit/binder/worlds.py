"""A small cluster for the tests of the binder: an API server in memory, its clock, and the books over it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from webhook.binder.binding import Binder
from webhook.binder.books import Books
from webhook.cluster.api import ApiError
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.core.placement.pod_entry import keep_pod
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import RECORD_ANNOTATION, SCHEDULER, devices_annotation, stored_key
from webhook.core.values.record import read_record
from webhook.wire.extender import BindQuestion

Json = dict[str, Any]
MIB = 1 << 20


def a_class(name: str, model: str, **spec: Any) -> Json:
    return {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"model": model}}, **spec}}


K80 = a_class("k80", "Tesla K80")
P100 = a_class("p100", "Tesla P100")
K80_2G = a_class("k80-2g", "Tesla K80", share={"memory": "2GiB"})
SPREAD = a_class("k80-spread", "Tesla K80", placement="Spread")
ANY = {
    "metadata": {"name": "any"},
    "spec": {
        "selector": {
            "matchExpressions": [{"key": "model", "operator": "In", "values": ["Tesla K80", "Tesla P100"]}]
        }
    },
}
CLASSES = (K80, P100, K80_2G, SPREAD, ANY)


def device(
    node: str, device_id: str, model: str = "Tesla K80", mib: int = 11441, **more: Any
) -> ExtendedResource:
    return ExtendedResource(
        name=f"{node}-{device_id.lower()}",
        node=node,
        device_id=device_id,
        properties={"model": model},
        memory_bytes=mib * MIB,
        **more,
    )


def container(name: str = "c", **amounts: int) -> Json:
    limits = {stored_key(key.replace("_", "-")): str(value) for key, value in amounts.items()}
    return {"name": name, "image": "i", "resources": {"limits": limits, "requests": dict(limits)}}


def pod(name: str, *containers: Json, uid: str = "", **spec: Any) -> Json:
    return {
        "metadata": {
            "name": name,
            "namespace": "team-a",
            "uid": uid or f"uid-{name}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"schedulerName": SCHEDULER, "containers": list(containers), **spec},
    }


def k80_pod(name: str, units: int = 1, **more: Any) -> Json:
    return pod(name, container(k80=units), **more)


def bound(obj: Json, node: str, *devices: str, class_name: str = "k80") -> Json:
    """Return the pod as it is when its one container holds whole devices of a node."""
    items = ",".join(f'{{"class":"{class_name}","device":"{item}"}}' for item in devices)
    record = f'{{"version":1,"node":"{node}","containers":{{"c":[{items}]}}}}'
    annotations = {RECORD_ANNOTATION: record, devices_annotation("c"): ",".join(devices)}
    return {
        **obj,
        "metadata": {**obj["metadata"], "annotations": annotations},
        "spec": {**obj["spec"], "nodeName": node},
    }


class Clock:
    """Seconds that only a test, or a wait, moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class FakeApi:
    """The pods of an API server. `fault` is raised by the next bind, `lost` after it has been carried out."""

    pods: dict[tuple[str, str], Json] = field(default_factory=dict)
    fault: Exception | None = None
    lost: Exception | None = None
    unreadable: bool = False
    posted: list[Json] = field(default_factory=list)
    told: list[tuple[str, str, str]] = field(default_factory=list)
    woken: list[str] = field(default_factory=list)

    def create(self, obj: Json) -> Json:
        self.pods[obj["metadata"]["namespace"], obj["metadata"]["name"]] = obj
        return obj

    def delete(self, name: str) -> None:
        self.pods.pop(("team-a", name), None)

    def read(self, namespace: str, name: str, seconds: float) -> Json | None:
        if self.unreadable:
            raise ClusterUnavailable("read timed out")
        return copy.deepcopy(self.pods.get((namespace, name)))

    def bind(self, namespace: str, name: str, binding: Json, seconds: float) -> None:
        self.posted.append(binding)
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        self.carry_out(namespace, name, binding)
        if self.lost is not None:
            lost, self.lost = self.lost, None
            raise lost

    def carry_out(self, namespace: str, name: str, binding: Json) -> None:
        obj = self.pods.get((namespace, name))
        if obj is None:
            raise ApiError("not found", 404)
        if obj["metadata"]["uid"] != binding["metadata"]["uid"]:
            raise ApiError("the UID in the precondition does not match", 409)
        if obj["spec"].get("nodeName"):
            raise ApiError("pod is already assigned to a node", 409)
        metadata = obj["metadata"]
        annotations = {**metadata.get("annotations", {}), **binding["metadata"]["annotations"]}
        spec = {**obj["spec"], "nodeName": binding["target"]["name"]}
        self.create({**obj, "metadata": {**metadata, "annotations": annotations}, "spec": spec})

    def wake(self, namespace: str, name: str, uid: str, seconds: float) -> None:
        if self.unreadable:
            raise ClusterUnavailable("write timed out")
        self.woken.append(name)

    def tell(self, pod: Json, reason: str, message: str) -> None:
        if self.unreadable:
            raise ClusterUnavailable("read timed out")
        self.told.append((pod["metadata"]["name"], reason, message))


class Gate:
    """A guard that a test opens and closes."""

    closed = ""

    def check(self) -> None:
        if self.closed:
            raise NotReady(self.closed)


@dataclass
class World:
    """Books and binder over a fake API server; the watch brings news when `watch` is called."""

    api: FakeApi = field(default_factory=FakeApi)
    clock: Clock = field(default_factory=Clock)
    gate: Gate = field(default_factory=Gate)
    cpu_clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.books = Books(self.clock, self.cpu_clock)
        self.binder = Binder(self.books, self.api, self.gate, self.clock.wait)
        self.books.set_classes(Classes.of(CLASSES))

    def nodes(self, **devices: list[ExtendedResource]) -> World:
        for name, own in devices.items():
            self.books.put_node(name)
            for item in own:
                self.books.put_device(item.name, item)
        return self

    def create(self, *pods: Json) -> World:
        for obj in pods:
            self.api.create(obj)
        return self.watch()

    def watch(self) -> World:
        """Bring the books up to what the API server holds."""
        seen = (keep_pod(obj) for obj in self.api.pods.values())
        self.books.replace_pods({entry.uid: entry for entry in seen if entry is not None})
        return self

    def bind(self, obj: Json, node: str) -> str:
        metadata = obj["metadata"]
        asked = BindQuestion(metadata["namespace"], metadata["name"], metadata["uid"], node)
        return self.binder.bind(asked)

    def devices_of(self, name: str) -> tuple[str, ...]:
        """Return the devices that the stored record of a pod names."""
        record = read_record(self.api.pods["team-a", name])
        return tuple(item.device for items in record.containers.values() for item in items) if record else ()

    def free(self, node: str) -> set[str]:
        """Return the ids of the devices of a node that nothing uses."""
        with self.books.lock:
            seen = self.books.node(node)
        return {item.device_id for n, item in enumerate(seen.devices.devices) if seen.room.empty >> n & 1}


def one_node(*device_ids: str) -> World:
    """Return a world of node-a with K80s."""
    return World().nodes(**{"node-a": [device("node-a", item) for item in device_ids or ("GPU-0",)]})
