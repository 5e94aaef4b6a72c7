"""A folder of manifests in few words, as a cluster would dump it."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
GIB = 1 << 30
SCHEDULER = "resourceclass-scheduler"
EARLIER = "2026-01-01T10:00:00Z"
CLASS_LABEL = "class.resourceclass.io/"
STORED = "resourceclass.io/"


def resource_class(name: str = K80, model: str = "Tesla K80", **spec: Any) -> Json:
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"model": model}}, **spec},
    }


def device(node: str, device_id: str, model: str = "Tesla K80", mib: int = 11441, phase: str = "") -> Json:
    properties = {"vendor": "NVIDIA", "model": model, "memory": f"{mib}MiB"}
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": f"{node}-{device_id.lower()}"},
        "spec": {
            "nodeName": node,
            "deviceID": device_id,
            "rawResourceName": "nvidia.com/gpu",
            "properties": properties,
        },
        "status": {"phase": phase} if phase else {},
    }


def node(name: str, units: int = 1, class_name: str = K80, **more: Any) -> Json:
    """A ready node that shows units of one class."""
    labels = {"kubernetes.io/hostname": name, f"{CLASS_LABEL}{class_name}": str(units)}
    amounts = {"cpu": "64", f"{STORED}{class_name}": str(units)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels | more.pop("labels", {})},
        "spec": more.pop("spec", {}),
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
            **more,
        },
    }


def pod(
    name: str = "train",
    units: int | dict[str, int] = 1,
    namespace: str = "team-a",
    status: Json | None = None,
    metadata: Json | None = None,
    **spec: Any,
) -> Json:
    """A pod of our scheduler, with one container that asks for units of K80, or of the classes named."""
    asked = {K80: units} if isinstance(units, int) else units
    limits = {f"{STORED}{key}": str(value) for key, value in asked.items()}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}", **(metadata or {})},
        "spec": {
            "schedulerName": SCHEDULER,
            "containers": [{"name": "main", "resources": {"limits": limits}}],
            **spec,
        },
        "status": {"phase": "Pending", **(status or {})},
    }


def bound(
    name: str, on: str, *devices: str, class_name: str = K80, memory_bytes: int | None = None, **more: Any
) -> Json:
    """A running pod that holds devices of a node, with the record that the binder writes."""
    entry: Json = {"class": class_name}
    share = {"memoryBytes": memory_bytes} if memory_bytes else {}
    record = {
        "version": 1,
        "node": on,
        "containers": {"main": [{**entry, "device": device_id, **share} for device_id in devices]},
    }
    annotations = {
        "resourceclass.io/allocation": json.dumps(record),
        "devices.resourceclass.io/main": ",".join(devices),
    }
    metadata = {"annotations": annotations, **more.pop("metadata", {})}
    status = {"phase": "Running", **more.pop("status", {})}
    units = {class_name: len(devices)}
    return pod(name, units, metadata=metadata, status=status, nodeName=on, **more)


def quota(hard: int, used: int | None = None, class_name: str = K80, namespace: str = "team-a") -> Json:
    """A quota; without `used` its status is not computed yet."""
    key = f"requests.{STORED}{class_name}"
    spec = {"hard": {key: str(hard)}}
    status = {"hard": {}, "used": {}} if used is None else {**spec, "used": {key: str(used)}}
    metadata = {"name": "limits", "namespace": namespace}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def unschedulable(message):
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"conditions": [condition]}


def event(about, reason, message, when=EARLIER, by="resourceclass-scheduler", **more) -> dict[str, Any]:
    kind, _, name = about.partition("/")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{reason.lower()}", "namespace": "team-a"},
        "involvedObject": {"kind": kind, "namespace": "team-a", "name": name, **more},
        "reason": reason,
        "message": message,
        "lastTimestamp": when,
        "reportingComponent": by,
    }


def workload(kind, name, api="apps/v1", owner=None, **spec):
    references = [{"kind": owner.partition("/")[0], "name": owner.partition("/")[2]}] if owner else []
    metadata = {"name": name, "namespace": "team-a", "ownerReferences": references}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


def lease(holder="scheduler-0_1", name="resourceclass-scheduler"):
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": "infra"},
        "spec": {"holderIdentity": holder, "renewTime": "2020-01-01T00:00:00.000000Z"},
    }
