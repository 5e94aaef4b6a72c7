"""Device objects that a person or the node agent writes, and what tests wait for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.controller.labelled import CLASS, DEVICE, SECONDS
from tests.harness.api import Api
from tests.harness.waiting import until

Json = dict[str, Any]

CONDITION = "ResourceClassReady"


@contextmanager
def written_device(api: Api, node: str, device_id: str, **properties: str) -> Iterator[str]:
    """A device object that nobody of ours has written, until the end of the block; returns its name."""
    name = f"{node}-{device_id.lower()}"
    spec = {"nodeName": node, "deviceID": device_id, "properties": {"vendor": "NVIDIA", **properties}}
    api.create(
        {
            "apiVersion": "resourceclass.io/v1alpha1",
            "kind": "ExtendedResource",
            "metadata": {"name": name},
            "spec": spec,
        }
    ).must()
    try:
        yield name
    finally:
        api.delete(DEVICE, name)


def relabel(api: Api, node: str, labels: Mapping[str, str | None]) -> None:
    """Changes labels of a node, as those who label it do; None takes one away."""
    api.patch("Node", node, {"metadata": {"labels": dict(labels)}}).must()


def call_sick(api: Api, device: str, phase: str = "Unhealthy") -> None:
    """Says what the node agent has found out about a device, by the name of its object."""
    reason = "Xid79" if phase == "Unhealthy" else None
    status = {"status": {"phase": phase, "reason": reason}}
    api.patch(DEVICE, device, status, subresource="status").must()


def condition_of(api: Api, node: str) -> Json:
    """The condition of a node about its devices; empty where there is none."""
    conditions: list[Json] = api.get("Node", node).must()["status"].get("conditions", [])
    return next((each for each in conditions if each["type"] == CONDITION), {})


def wait_condition(api: Api, node: str, reason: str) -> Json:
    """Waits until the condition of the node has this reason, and returns it."""

    def said() -> Json | None:
        found = condition_of(api, node)
        return found if found.get("reason") == reason else None

    found = until(said, f"node {node} says {reason}", SECONDS)
    assert found is not None
    return found


def wait_counts(api: Api, class_name: str, **counts: int) -> None:
    """Waits until the status of a class has these numbers."""

    def counted() -> bool:
        status = api.get(CLASS, class_name).must().get("status", {})
        return {name: status.get(name) for name in counts} == counts

    until(counted, f"class {class_name} has {counts}", SECONDS)


def warnings_about(api: Api, node: str) -> list[str]:
    """The texts of the warning events on a node."""
    events = api.items("Event", "default", fieldSelector=f"involvedObject.name={node},type=Warning")
    return [event["message"] for event in events]
