"""Nodes with devices, written as objects: what the agent and the controller would write, without a driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.harness.api import Api
from webhook.core.inventory.changes import node_changes
from webhook.core.inventory.holdings import holdings
from webhook.core.inventory.units import node_units
from webhook.core.placement.membership import Membership
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import read_extended_resources

Json = dict[str, Any]

CALLERS = 8
AMOUNTS = {"cpu": "64", "memory": "256Gi", "pods": "110"}


@dataclass(frozen=True)
class Card:
    """One device. Without an id it is called after its node and its place there."""

    model: str
    mib: int
    id: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


def k80(device_id: str = "") -> Card:
    return Card("NVIDIA Tesla K80", 11441, device_id)


def p100(device_id: str = "") -> Card:
    return Card("NVIDIA Tesla P100", 16276, device_id)


@contextmanager
def device_nodes(
    api: Api, cards: Mapping[str, Sequence[Card]], labels: Mapping[str, Mapping[str, str]] | None = None
) -> Iterator[None]:
    """Makes ready nodes with these cards until the end of the block, for the classes that exist by now."""
    try:
        add_nodes(api, cards, labels)
        yield
    finally:
        with ThreadPoolExecutor(CALLERS) as callers:
            list(callers.map(lambda name: remove_node(api, name), cards))


def add_nodes(
    api: Api, cards: Mapping[str, Sequence[Card]], labels: Mapping[str, Mapping[str, str]] | None = None
) -> None:
    """Makes ready nodes with these cards, for the classes that exist by now."""
    classes = Classes.of(api.items("ResourceClass"))
    membership = Membership(classes)
    labels = labels or {}

    def add(name: str) -> None:
        devices = [_device(name, number, card) for number, card in enumerate(cards[name])]
        _create(api, _node(name, devices, classes, membership, labels.get(name, {})), devices)

    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(add, cards))


def remove_node(api: Api, name: str) -> None:
    """Deletes a node with its devices; the garbage collector would take them along a little later."""
    api.delete("Node", name)
    for device in api.items("ExtendedResource", fieldSelector=f"spec.nodeName={name}"):
        api.delete("ExtendedResource", device["metadata"]["name"])


def set_phase(api: Api, device: str, phase: str) -> None:
    """Says what the agent has found out about a device, by the name of its object."""
    status = {"status": {"phase": phase}}
    api.patch("ExtendedResource", device, status, subresource="status").must()


def publish(api: Api, name: str) -> None:
    """Writes the label and the capacity of each class anew, as the controller does after a change."""
    classes = Classes.of(api.items("ResourceClass"))
    devices, _ = read_extended_resources(api.items("ExtendedResource", fieldSelector=f"spec.nodeName={name}"))
    pods = api.items("Pod", fieldSelector=f"spec.nodeName={name}")
    units = node_units(devices, pods, classes, Membership(classes), holdings(pods))
    changes = node_changes(api.get("Node", name).must(), units)
    if metadata := changes.metadata_patch():
        api.patch("Node", name, metadata).must()
    if status := changes.status_patch():
        api.patch("Node", name, status, subresource="status").must()


def _node(
    name: str, devices: list[Json], classes: Classes, membership: Membership, labels: Mapping[str, str]
) -> Json:
    node: Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": "by a test"}]
        },
    }
    read, problems = read_extended_resources(devices)
    assert not problems, problems
    changes = node_changes(node, node_units(read, [], classes, membership))
    node["metadata"]["labels"].update(changes.labels)
    node["status"]["capacity"] = AMOUNTS | dict(changes.capacity)
    node["status"]["allocatable"] = AMOUNTS | dict(changes.allocatable)
    return node


def _device(node: str, number: int, card: Card) -> Json:
    device_id = card.id or f"GPU-{node}-{number}"
    properties = {"vendor": "NVIDIA", "model": card.model, "memory": f"{card.mib} MiB", "index": str(number)}
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": f"{node}-{device_id.lower()}"},
        "spec": {
            "nodeName": node,
            "deviceID": device_id,
            "rawResourceName": "nvidia.com/gpu",
            "properties": {**properties, **card.properties},
        },
    }


def _create(api: Api, node: Json, devices: list[Json]) -> None:
    """The devices come first: a node that shows capacity before its devices would cost a refused attempt."""
    name = node["metadata"]["name"]
    made = api.create(node).must()
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": made["metadata"]["uid"]}
    for device in devices:
        device["metadata"]["ownerReferences"] = [owner]
        api.create(device).must()
    # Every new node gets the taint not-ready; the controller manager would remove it a moment later.
    api.patch("Node", name, {"spec": {"taints": None}}).must()
