"""What tests do with a cluster again and again: namespaces, nodes, quotas, small pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.harness.api import Api
from tests.harness.waiting import until

Json = dict[str, Any]

# The image is never pulled: there is no kubelet behind these nodes.
IMAGE = "example.com/none:1"


@contextmanager
def fresh_namespace(api: Api, labels: Mapping[str, str] | None = None) -> Iterator[str]:
    """Makes a namespace and waits for its default service account, without which the server refuses pods.

    Its deletion is begun at the end and not waited for.
    """
    metadata = {"generateName": "test-", "labels": dict(labels or {})}
    made = api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}).must()
    name: str = made["metadata"]["name"]
    try:
        until(lambda: api.get("ServiceAccount", "default", name).ok, f"default service account in {name}")
        yield name
    finally:
        api.delete("Namespace", name)


def pod(name: str, limits: Mapping[str, Any] | None = None, **spec: Any) -> Json:
    """A pod of one container `main`; spec adds or replaces fields of the pod's spec."""
    container: Json = {"name": "main", "image": IMAGE}
    if limits is not None:
        container["resources"] = {"limits": dict(limits)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


def quota(name: str, hard: Mapping[str, Any], **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name},
        "spec": {"hard": dict(hard), **spec},
    }


def quota_synced(api: Api, namespace: str, name: str, seconds: float = 20.0) -> Json:
    """Waits until the controller manager has computed the quota and returns it. Before, it limits nothing."""

    def synced() -> Json | None:
        body = api.get("ResourceQuota", name, namespace).must()
        hard, status = body["spec"].get("hard", {}), body.get("status", {})
        return body if status.get("hard", {}) == hard and set(hard) <= set(status.get("used", {})) else None

    done = until(synced, f"the status of quota {namespace}/{name} follows its spec", seconds)
    assert done is not None
    return done


@contextmanager
def fresh_node(
    api: Api, name: str, capacity: Mapping[str, str] | None = None, labels: Mapping[str, str] | None = None
) -> Iterator[Json]:
    """Makes a node that is ready until the end of the test; capacity adds to cpu, memory and pods."""
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata}).must()
    try:
        api.patch("Node", name, {"status": _node_status(capacity or {})}, subresource="status").must()
        until(lambda: _untainted(api, name), f"the not-ready taint of node {name} is gone")
        yield api.get("Node", name).must()
    finally:
        api.delete("Node", name)


def _node_status(capacity: Mapping[str, str]) -> Json:
    amounts = {"cpu": "64", "memory": "256Gi", "pods": "110", **capacity}
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "made by a test"}
    return {"capacity": amounts, "allocatable": amounts, "conditions": [ready]}


def _untainted(api: Api, name: str) -> bool:
    return not api.get("Node", name).must()["spec"].get("taints")
