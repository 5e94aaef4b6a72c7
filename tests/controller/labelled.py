"""Nodes as clouds and vendors label them, and what the controller should have made of them.

The product's names are spelled out here and not imported: they are an interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.harness.api import Api
from tests.harness.cluster import fresh_node
from tests.harness.waiting import until

Json = dict[str, Any]

DEVICE = "resourceclass.io/v1alpha1/ExtendedResource"
CLASS = "resourceclass.io/v1alpha1/ResourceClass"
MANAGER = "resourceclass-controller"
MANAGED_BY = {"app.kubernetes.io/managed-by": "resourceclass"}
SECONDS = 20.0


def aliyun(model: str, memory: str, count: int) -> dict[str, str]:
    """The labels of a node of Alibaba Cloud's ACK."""
    return {
        "aliyun.accelerator/nvidia_name": model,
        "aliyun.accelerator/nvidia_mem": memory,
        "aliyun.accelerator/nvidia_count": str(count),
    }


def k80s(count: int) -> dict[str, str]:
    return aliyun("Tesla-K80", "11441MiB", count)


@contextmanager
def labelled_node(api: Api, name: str, labels: Mapping[str, str]) -> Iterator[Json]:
    """Makes a ready node with these labels; its devices are gone when the next test begins."""
    with fresh_node(api, name, labels=labels) as node:
        try:
            yield node
        finally:
            api.delete("Node", name)
            until(lambda: not devices_of(api, name), f"the devices of {name} are gone", SECONDS)


def devices_of(api: Api, node: str) -> list[Json]:
    return api.items(DEVICE, fieldSelector=f"spec.nodeName={node}")


def shown(node: Json) -> dict[str, str]:
    """The classes that a node shows: by name the label, capacity and allocatable, which must be the same."""
    label, key = "class.resourceclass.io/", "resourceclass.io/"
    labels = _of(node["metadata"].get("labels", {}), label)
    assert labels == _of(node["status"]["capacity"], key) == _of(node["status"]["allocatable"], key)
    return labels


def wait_shown(api: Api, node: str, classes: Mapping[str, str], seconds: float = SECONDS) -> Json:
    """Waits until a node shows just these classes, and returns it."""

    def as_wanted() -> Json | None:
        found = api.get("Node", node).must()
        try:
            return found if shown(found) == classes else None
        except AssertionError:
            return None  # between two writes

    found = until(as_wanted, f"node {node} shows {dict(classes)}", seconds)
    assert found is not None
    return found


def managers(obj: Json) -> set[str]:
    """Who has written fields of an object."""
    return {entry["manager"] for entry in obj["metadata"].get("managedFields", ())}


def names(objects: Iterable[Json]) -> list[str]:
    return sorted(obj["metadata"]["name"] for obj in objects)


def _of(amounts: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): value for key, value in amounts.items() if key.startswith(prefix)}
