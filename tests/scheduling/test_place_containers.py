"""Each container gets the devices of its own classes, and the pod says which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.harness.api import Api
from tests.harness.devices import device_nodes, k80, p100
from tests.scheduling.expect import (
    HIGH_MEM,
    K80,
    P100,
    asking,
    assert_none_held_twice,
    bound,
    container,
    device,
    devices,
    key,
    place,
    pod_of,
    record,
    refuse,
)

pytestmark = pytest.mark.usefixtures("scheduler")

Json = dict[str, Any]

A_K80, A_P100 = k80("GPU-k"), p100("GPU-p")
FIVE = (container("log"), container("train", {K80: 1}), container("shim"), container("infer", {P100: 1}))


def same(containers: Sequence[Json]) -> Sequence[Json]:
    return containers


def turned(containers: Sequence[Json]) -> Sequence[Json]:
    return containers[::-1]


# Project-HAMi/HAMi#571, #3079: devices were recorded by the place of a container, init containers counted in.
@pytest.mark.parametrize("prepares", [{}, {K80: 1}], ids=["without a device", "with the K80 before"])
@pytest.mark.parametrize("order", [same, turned])
def test_devices_follow_the_name_of_a_container(
    api: Api, namespace: str, order: Callable[[Sequence[Json]], Sequence[Json]], prepares: dict[str, int]
) -> None:
    prepare = [container("prep", prepares)]
    five = pod_of("five", *order(FIVE), initContainers=prepare)

    with device_nodes(api, {"mixed-c": [A_K80, A_P100]}):
        pod = place(api, namespace, five)

    before = {"prep": ["GPU-k"]} if prepares else {}
    assert pod["spec"]["nodeName"] == "mixed-c"
    assert devices(pod) == {"train": ["GPU-k"], "infer": ["GPU-p"], **before}


def test_the_record_says_the_same_as_what_the_kubelet_reads(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80(), k80()]}):
        pod = place(api, namespace, asking("two", amount=2))

    entries = record(pod)["containers"]["main"]
    assert (record(pod)["version"], record(pod)["node"]) == (1, "node-a")
    assert [entry["device"] for entry in entries] == devices(pod)["main"]
    assert len({entry["device"] for entry in entries}) == 2
    assert {entry["class"] for entry in entries} == {K80}


def test_the_variables_of_a_container_read_an_annotation_that_is_there(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        pod = place(api, namespace, asking("one"))

    fields = {
        each["name"]: each["valueFrom"]["fieldRef"]["fieldPath"]
        for each in pod["spec"]["containers"][0]["env"]
        if "valueFrom" in each
    }
    assert set(fields) == {"NVIDIA_VISIBLE_DEVICES", "RESOURCECLASS_DEVICES"}
    read = {path.removeprefix("metadata.annotations['").removesuffix("']") for path in fields.values()}
    assert {pod["metadata"]["annotations"][name] for name in read} == {device(pod)}


def test_a_class_that_overlaps_another_leaves_it_the_device_it_needs(api: Api, namespace: str) -> None:
    both = pod_of("both", container("any", {HIGH_MEM: 1}), container("small", {K80: 1}))

    with device_nodes(api, {"node-a": [A_K80, A_P100]}):
        pod = place(api, namespace, both)

    assert devices(pod) == {"any": ["GPU-p"], "small": ["GPU-k"]}


def test_pods_of_overlapping_classes_never_share_a_device(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [A_K80, A_P100]}):
        pods = [place(api, namespace, asking(name, HIGH_MEM)) for name in ("first", "second")]
        # The node still shows one K80 in its capacity: only the binder knows who holds it.
        reason = refuse(api, namespace, asking("third", K80))

    assert_none_held_twice(pods)
    assert f"{K80} needs 1 device" in reason
    assert "1 in use" in reason


def test_two_classes_in_one_container_get_two_devices(api: Api, namespace: str) -> None:
    pod = pod_of("two", container("main", {K80: 1, HIGH_MEM: 1}))

    with device_nodes(api, {"node-a": [A_P100, A_K80]}):
        placed = place(api, namespace, pod)

    by_class = {entry["class"]: entry["device"] for entry in record(placed)["containers"]["main"]}
    assert by_class == {K80: "GPU-k", HIGH_MEM: "GPU-p"}
    assert sorted(devices(placed)["main"]) == ["GPU-k", "GPU-p"]


def test_a_pod_of_this_scheduler_without_a_class_is_bound_without_devices(api: Api, namespace: str) -> None:
    plain = pod_of("plain", container("main"), schedulerName="resourceclass-scheduler")

    with device_nodes(api, {"node-a": [k80()]}):
        pod = place(api, namespace, plain)

    assert devices(pod) == {}
    assert "annotations" not in pod["metadata"]


def test_an_unhealthy_device_is_not_handed_out(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-sick"), k80("GPU-well")]}):
        sick = {"status": {"phase": "Unhealthy"}}
        api.patch("ExtendedResource", "node-a-gpu-sick", sick, subresource="status").must()
        api.create(asking("one"), namespace).must()
        pod = bound(api, namespace, "one")

        assert device(pod) == "GPU-well"
        reason = refuse(api, namespace, asking("two"))

    assert "1 in use" in reason
    assert "1 unhealthy" in reason
    assert key(K80) not in reason
