"""What the schema of an ExtendedResource accepts and refuses, and what kubectl shows of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.samples import K80, Json
from tests.harness.api import Api
from tests.harness.kubectl import Kubectl


def device(**spec: Any) -> Json:
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"generateName": "node-a-"},
        "spec": {"nodeName": "node-a", "deviceID": "GPU-0", **spec},
    }


def test_a_device_is_stored_with_its_status(installed: Api) -> None:
    made = installed.create(
        device(rawResourceName="nvidia.com/gpu", properties={"model": "Tesla K80"})
    ).must()
    consumer = {"namespace": "a", "pod": "p", "uid": "u", "container": "c", "class": K80, "memory": "2Gi"}
    status = {
        "phase": "Bound",
        "reason": "InUse",
        "message": "held by a/p",
        "capacity": {"memory": "11441Mi"},
        "allocated": {"memory": "2Gi"},
        "consumers": [consumer],
    }

    name = made["metadata"]["name"]
    stored = installed.patch("ExtendedResource", name, {"status": status}, subresource="status").must()

    assert stored["status"] == status


def test_a_new_device_is_available_without_a_second_write(installed: Api) -> None:
    made = installed.create(device()).must()

    assert made["status"] == {"phase": "Available"}
    assert installed.get("ExtendedResource", made["metadata"]["name"]).must()["status"] == made["status"]


def test_kubectl_shows_what_a_person_wants_to_know_of_a_device(installed: Api, kubectl: Kubectl) -> None:
    properties = {"model": "Tesla K80", "memory": "11441MiB"}
    name = installed.create(device(properties=properties)).must()["metadata"]["name"]
    installed.patch("ExtendedResource", name, {"status": {"phase": "Available"}}, subresource="status").must()

    head, row = kubectl("get", "er", name).must().splitlines()

    assert head.split() == ["NAME", "NODE", "MODEL", "MEMORY", "PHASE", "ALLOCATED", "REASON", "AGE"]
    assert row.split()[:6] == [name, "node-a", "Tesla", "K80", "11441MiB", "Available"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"nodeName": None}, "spec.nodeName: Required value"),
        ({"deviceID": None}, "spec.deviceID: Required value"),
        ({"deviceID": ""}, "spec.deviceID in body should be at least 1 chars long"),
        ({"properties": {"index": 0}}, "must be of type string"),
    ],
)
def test_a_faulty_device_is_refused(installed: Api, spec: Json, words: str) -> None:
    answer = installed.create(device(**spec))

    assert (answer.code, words in answer.message) == (422, True)


@pytest.mark.parametrize("field", ["nodeName", "deviceID"])
def test_a_device_does_not_turn_into_another_one(installed: Api, field: str) -> None:
    name = installed.create(device()).must()["metadata"]["name"]

    answer = installed.patch("ExtendedResource", name, {"spec": {field: "other"}})

    assert answer.code == 422
    assert "delete it and create another one" in answer.message


def test_devices_are_found_by_node(installed: Api) -> None:
    name = installed.create(device(nodeName="node-of-its-own")).must()["metadata"]["name"]

    found = installed.items("ExtendedResource", fieldSelector="spec.nodeName=node-of-its-own")

    assert [each["metadata"]["name"] for each in found] == [name]
