"""A small cluster for the tests of the controller's work: an API server in memory, and a world over it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from webhook.cluster.api import STRATEGIC, ApiError
from webhook.cluster.device_pods import DEVICE_PODS
from webhook.cluster.listing import Resource
from webhook.controller import kept
from webhook.controller.class_work import ClassMaker, ClassStatus
from webhook.controller.counts import Counts
from webhook.controller.device_writes import DeviceWrites
from webhook.controller.doubles import Doubles, Policy
from webhook.controller.node_work import NodeWork, Parts
from webhook.controller.notices import Notices
from webhook.controller.queue import Key, WorkQueue
from webhook.controller.quota_work import QuotaWork
from webhook.controller.world import World
from webhook.controller.writing import Writer

Json = dict[str, Any]

OURS = "/apis/resourceclass.io/v1alpha1"
TABLES: Mapping[str, Resource[Any]] = {
    "nodes": kept.NODES,
    "devices": kept.DEVICES,
    "classes": kept.CLASSES,
    "pods": DEVICE_PODS,
    "namespaces": kept.NAMESPACES,
    "quotas": kept.QUOTAS,
}


class Clock:
    """Seconds that only a test moves."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class FakeApi:
    """Objects by path. `refused` maps the beginning of a write, as `POST /path`, to a status.

    `meanwhile` is what happens between a write and its answer.
    """

    objects: dict[str, Json] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    meanwhile: dict[str, Callable[[], None]] = field(default_factory=dict)
    told: list[tuple[str, str]] = field(default_factory=list)
    refuse_name: str = ""  # of an object that is not to be created
    version: int = 100

    def put(self, path: str, obj: Json) -> Json:
        self.version += 1
        metadata = {"uid": f"uid-{self.version}", **obj["metadata"], "resourceVersion": str(self.version)}
        self.objects[path] = {**obj, "metadata": metadata}
        return copy.deepcopy(self.objects[path])

    def send(self, method: str, path: str, document: Json, seconds: float, query: Json | None = None) -> Json:
        verb = method.partition(" ")[0]
        for beginning, status in self.refused.items():
            if f"{verb} {path}".startswith(beginning):
                raise ApiError("refused", status)
        self.writes.append(f"{verb} {path}")
        if path.endswith("/eviction"):
            return {}
        if method == "POST":
            return self._create(f"{path}/{document['metadata']['name']}", document)
        target = path.removesuffix("/status")
        if target not in self.objects:
            raise ApiError("not found", 404)
        if method == "DELETE":
            return self.objects.pop(target)
        stored = self.put(target, _merged(self.objects[target], document, strategic=method == STRATEGIC))
        self.meanwhile.pop(f"{verb} {path}", lambda: None)()
        return stored

    def read(self, namespace: str, name: str, seconds: float) -> Json | None:
        return self.objects.get(f"/api/v1/namespaces/{namespace}/pods/{name}")

    def tell(self, about: Json, reason: str, message: str) -> None:
        self.told.append((about["name"], reason))

    def _create(self, path: str, obj: Json) -> Json:
        if path in self.objects:
            raise ApiError("already exists", 409)
        if obj["metadata"]["name"] == self.refuse_name:
            raise ApiError("forbidden", 403)
        if "extendedresources" in path:  # what the schema gives to a new device
            obj = {**obj, "status": {"phase": "Available"}}
        return self.put(path, obj)


def _merged(present: Any, changes: Any, strategic: bool) -> Any:
    """Merge as RFC 7386 says; of a strategic merge, as much as conditions need."""
    if not isinstance(changes, dict):
        return copy.deepcopy(changes)
    result = dict(present) if isinstance(present, dict) else {}
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif strategic and key == "conditions":
            kinds = {item["type"] for item in value}
            result[key] = [item for item in result.get(key, []) if item["type"] not in kinds] + value
        else:
            result[key] = _merged(result.get(key), value, strategic)
    return result


class Cluster:
    """The parts of a controller over the fake server; `work` does what waits, as the workers do."""

    def __init__(self, policy: Policy = "report", *, remove_unused: bool = False) -> None:
        self.api, self.clock = FakeApi(), Clock()
        self.queue = WorkQueue(self.clock, lambda low, high: high)
        self.world = World(self.queue)
        writer = Writer(self.api, lambda: None)  # type: ignore[arg-type]
        self.counts = Counts()
        self.notices = Notices(self.api, self.clock)
        self.makers = ClassMaker(self.world, writer, remove_unused=remove_unused)
        parts = Parts(
            writer,
            self.makers,
            DeviceWrites(self.world, writer),
            Doubles(self.api, writer, self.notices, policy),
            self.counts,
            self.notices,
        )
        self.nodes = NodeWork(self.world, self.queue, parts, self.clock, self.clock)
        self.works = {
            "node": self.nodes,
            "classes": self.makers,
            "class-status": ClassStatus(self.world, writer, self.counts, self.clock),
            "quota": QuotaWork(self.world, writer, self.notices),
        }

    def put(self, table: str, obj: Json) -> Json:
        """Store an object as somebody else does, and let the watch bring it."""
        resource = TABLES[table]
        metadata = obj["metadata"]
        stored = self.api.put(resource.path(metadata.get("namespace", ""), metadata["name"]), obj)
        self._bring(table, stored)
        return stored

    def drop(self, table: str, name: str, namespace: str = "") -> None:
        """Delete an object as somebody else does."""
        resource = TABLES[table]
        gone = self.api.objects.pop(resource.path(namespace, name))
        getattr(self.world, table).remove(resource.key(gone))

    def watch(self) -> Cluster:
        """Let the watches bring everything that was written."""
        for table, resource in TABLES.items():
            found = [obj for path, obj in self.api.objects.items() if path.split("/")[-2] == resource.plural]
            items = [(resource.key(obj), resource.keep(copy.deepcopy(obj))) for obj in found]
            getattr(self.world, table).replace([item for item in items if item[1] is not None])
        return self

    def work(self, seconds: float = 0.0) -> list[str]:
        """Let so much time pass, do all that waits then, and return what was written."""
        begun = len(self.api.writes)
        self.clock.now += seconds
        while (key := self.queue.get(wait=False)) is not None:
            self._do(key)
            self.queue.done(key)
        return self.api.writes[begun:]

    def settle(self) -> list[str]:
        """Work until nothing is left to do, with the crowd's second between."""
        return [*self.work(), *self.work(2), *self.work(2)]

    def node(self, name: str) -> Json:
        return self.api.objects[f"/api/v1/nodes/{name}"]

    def device(self, name: str) -> Json:
        return self.api.objects[f"{OURS}/extendedresources/{name}"]

    def a_class(self, name: str) -> Json:
        return self.api.objects[f"{OURS}/resourceclasses/{name}"]

    def _bring(self, table: str, stored: Json) -> None:
        resource = TABLES[table]
        value = resource.keep(stored)
        if value is not None:
            getattr(self.world, table).put(resource.key(stored), value)

    def _do(self, key: Key) -> None:
        if key.kind == "sweep":
            names = self.world.node_names() if key.name == "nodes" else ()
            for name in sorted(names):
                self.queue.add(Key("node", name))
            return
        seconds = self.works[key.kind](key.name)
        if seconds is not None:
            self.queue.add_after(key, seconds)


def a_node(name: str = "a", count: int = 1, **more: Any) -> Json:
    """A node with K80s, labelled as Alibaba Cloud does."""
    labels = {
        "aliyun.accelerator/nvidia_name": "Tesla-K80",
        "aliyun.accelerator/nvidia_mem": "11441MiB",
        "aliyun.accelerator/nvidia_count": str(count),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"team": "x", **labels}},
        "status": {
            "capacity": {"cpu": "4"},
            "allocatable": {"cpu": "4"},
            "conditions": [{"type": "Ready", "status": "True"}],
            **more,
        },
    }
