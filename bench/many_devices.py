"""A cluster of many devices, half of them taken: objects as an API server lists them, and pods that ask.

Nodes of 8 devices and of 20 models, most of one model, every fifth of two; 30 classes by model, by memory and
by share. Half of the devices are taken, by pods of one to four whole devices and by shares, at random, but
the same in every run.
"""

import random
from collections.abc import Iterator
from typing import Any

from bench.full_cluster import small_pod
from webhook.core.values.names import SCHEDULER, devices_annotation, stored_key
from webhook.core.values.record import Allocation, Record, write_record

Json = dict[str, Any]

DEVICES, MODELS, SHARES = 8, 20, 6
MEMORY_GIB = (16, 24, 40, 80)
SHARE_GIB = 2
VERSION = "1000"  # the resourceVersion of every object
NAMESPACE = "team-a"


def classes() -> list[Json]:
    """Return 30 ResourceClasses: a device belongs to its model, to sizes up to its own, and to all shares."""
    by_model = [_class(f"model-{n}", "model", "In", f"Model {n}") for n in range(MODELS)]
    by_memory = [_class(f"memory-{size}", "memory", "Ge", f"{size}GiB") for size in MEMORY_GIB]
    shares = [
        _class(f"share-{n}", "memory", "Ge", "16GiB", share={"memory": f"{SHARE_GIB * n}GiB"})
        for n in range(1, SHARES + 1)
    ]
    return by_model + by_memory + shares


def node_name(number: int) -> str:
    """Return the name of a node."""
    return f"node-{number:05}"


def nodes(count: int) -> Iterator[Json]:
    """Yield the nodes, of 5 KB each with what a kubelet says of conditions and images."""
    conditions = [
        {"type": kind, "status": "False", "reason": f"KubeletHasNo{kind}", "message": f"no {kind} " * 3}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    images = [
        {"names": [f"registry.example.com/team/image-{n}@sha256:{n:064}"], "sizeBytes": n} for n in range(40)
    ]
    for number in range(count):
        name = node_name(number)
        metadata = {"name": name, "uid": f"uid-{name}", "resourceVersion": VERSION}
        yield {"metadata": metadata, "status": {"conditions": conditions, "images": images}}


def devices(count: int) -> Iterator[Json]:
    """Yield the devices of so many nodes."""
    for number in range(count):
        node = node_name(number)
        for index in range(DEVICES):
            model = _model(number, index)
            properties = {
                "vendor": "NVIDIA",
                "model": f"Model {model}",
                "memory": f"{_gib(model)}GiB",
                "index": str(index),
                "numaNode": str(index // 4),
                "pciBusID": f"0000:{index:02x}:00.0",
                "driver": "580.65.06",
            }
            device_id = _device_id(number, index)
            spec = {"nodeName": node, "deviceID": device_id, "rawResourceName": "nvidia.com/gpu"}
            yield {
                "metadata": {"name": f"{node}-{device_id.lower()}", "resourceVersion": VERSION},
                "spec": {**spec, "properties": properties},
                "status": {"phase": "Available"},
            }


def bound_pods(count: int) -> Iterator[Json]:
    """Yield the pods that hold half of the devices of so many nodes."""
    chance = random.Random(5)
    for number in range(count):
        order = chance.sample(range(DEVICES), DEVICES)
        taken = chance.choice((2, 3, 4, 4, 5, 6))
        while taken:
            units = min(chance.choice((1, 1, 1, 2, 4)), taken)
            yield _bound(number, [order.pop() for _ in range(units)], chance.random() < 0.2)
            taken -= units


def pod(name: str, *asked: Json, node: str = "") -> Json:
    """Return a pod of 2 KB, one container for each map of class to units, as the scheduler knows it."""
    made = small_pod()
    (container,) = made["spec"]["containers"]
    made["spec"]["containers"] = [
        {**container, "name": f"c{index}", "resources": {"limits": limits, "requests": limits}}
        for index, limits in enumerate(
            {stored_key(key): str(units) for key, units in each.items()} for each in asked
        )
    ]
    made["spec"]["schedulerName"] = SCHEDULER
    if node:
        made["spec"]["nodeName"] = node
    made["metadata"] |= {
        "name": name,
        "namespace": NAMESPACE,
        "uid": f"uid-{name}",
        "resourceVersion": VERSION,
    }
    made["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    return made


def _class(name: str, key: str, operator: str, *values: str, **spec: object) -> Json:
    selector = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    metadata = {"name": name, "resourceVersion": VERSION}
    return {"metadata": metadata, "spec": {"selector": selector, **spec}}


def _model(node: int, index: int) -> int:
    is_mixed = node % 5 == 0 and index >= DEVICES // 2
    return (node + is_mixed) % MODELS


def _gib(model: int) -> int:
    return MEMORY_GIB[model % len(MEMORY_GIB)]


def _device_id(node: int, index: int) -> str:
    return f"GPU-{node:08x}-{index:04x}-4000-8000-{node * DEVICES + index:012x}"


def _bound(number: int, own: list[int], is_share: bool) -> Json:
    """A pod that holds these devices of a node, whole, or 4 GiB of the first."""
    node = node_name(number)
    chosen = own[:1] if is_share else own
    asked = {"share-2": 1} if is_share else {f"model-{_model(number, own[0])}": len(own)}
    (class_name,) = asked
    memory_bytes = 2 * SHARE_GIB << 30 if is_share else None
    allocations = tuple(Allocation(class_name, _device_id(number, index), memory_bytes) for index in chosen)
    record = Record(node, {"c0": allocations})
    made = pod(f"held-{number:05}-{own[0]}", asked, node=node)
    made["metadata"]["annotations"] = {
        "resourceclass.io/allocation": write_record(record),
        devices_annotation("c0"): ",".join(record.devices_of("c0")),
    }
    made["status"] = {"phase": "Running"}
    return made
