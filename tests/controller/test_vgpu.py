"""vGPU nodes beside nodes with full cards, told apart by labels; a vendor's plugin serves them all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.controller.labelled import CLASS, aliyun, devices_of, wait_shown
from tests.controller.objects import condition_of, wait_condition, wait_counts
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace, fresh_node, pod
from tests.harness.product import fresh_class
from tests.harness.waiting import holds, until
from tests.scheduling.expect import asking, bound, device, end, place, refuse

GPU = "nvidia.com/gpu"
VGPU = "nvidia.grid-p4-2q"
COUNTED = {"vendorResource": GPU}
EXAMPLE = Path(__file__).parents[2] / "examples" / "05-lightweight-vgpu.yaml"

pytestmark = pytest.mark.usefixtures("controller", "scheduler")


@pytest.fixture
def _nodes(api: Api) -> Iterator[None]:
    """A node with a vGPU, a node with two full cards, and classes that tell them apart."""
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(fresh_class(api, "vgpu", {"model": "GRID P4-2Q"}, pod=COUNTED))
        enter(fresh_class(api, "full", {"model": "Tesla P4"}, pod=COUNTED))
        for name, operator, size in (("large", "Gt", "2GiB"), ("small", "Lt", "4GiB")):
            memory = {"key": "memory", "operator": operator, "values": [size]}
            enter(fresh_class(api, name, selector={"matchExpressions": [memory]}, pod=COUNTED))
        enter(fresh_node(api, "vgpu-1", {GPU: "1"}, aliyun("GRID-P4-2Q", "2048MiB", 1)))
        enter(fresh_node(api, "full-1", {GPU: "2"}, aliyun("Tesla-P4", "7611MiB", 2)))
        wait_shown(api, "vgpu-1", {"vgpu": "1", "small": "1"})
        wait_shown(api, "full-1", {"full": "2", "large": "2"})
        yield
    for name in ("vgpu-1", "full-1"):
        until(lambda name=name: not devices_of(api, name), f"the devices of {name} are gone")


# AliyunContainerService/gpushare-scheduler-extender#201: both kinds of node offer the same resource.
@pytest.mark.usefixtures("_nodes")
@pytest.mark.parametrize(
    ("class_name", "node", "count"),
    [("vgpu", "vgpu-1", 1), ("full", "full-1", 2), ("large", "full-1", 2), ("small", "vgpu-1", 1)],
)
def test_a_class_of_a_model_or_a_size_uses_its_own_nodes_to_the_last_device(
    api: Api, namespace: str, class_name: str, node: str, count: int
) -> None:
    placed = [place(api, namespace, asking(f"p{number}", class_name)) for number in range(count)]
    assert {each["spec"]["nodeName"] for each in placed} == {node}
    assert {device(each) for each in placed} == {str(number) for number in range(count)}
    refuse(api, namespace, asking("late", class_name))


@pytest.mark.usefixtures("_nodes")
def test_a_node_selector_of_the_user_is_kept_beside_the_class(api: Api, namespace: str) -> None:
    selector = {"aliyun.accelerator/nvidia_mem": "2048MiB"}
    placed = place(api, namespace, asking("old", "vgpu", nodeSelector=selector))
    assert placed["spec"]["nodeSelector"] == selector
    refuse(api, namespace, asking("torn", "full", nodeSelector=selector))


def test_a_deployment_that_knows_nothing_of_classes_gets_a_vgpu_of_its_adopting_namespace(
    api: Api, namespace: str
) -> None:
    node, deployment = list(yaml.safe_load_all(EXAMPLE.read_text()))
    name, labels = node["metadata"]["name"], node["metadata"]["labels"]
    body: dict[str, Any] = {"metadata": {"labels": {"resourceclass.io/adopt": VGPU}}}
    api.patch("Namespace", namespace, body).must()
    with fresh_node(api, name, {GPU: "1"}, labels):
        wait_shown(api, name, {VGPU: "1"})
        api.create(deployment, namespace).must()
        (made,) = until(lambda: api.items("Pod", namespace), "the Deployment has its pod")
        found = bound(api, namespace, made["metadata"]["name"])
        assert found["spec"]["nodeName"] == name
        assert device(found, "cuda-sample") == "0"
        wait_counts(api, VGPU, devices=1, used=1, free=0)
        api.delete("Deployment", deployment["metadata"]["name"], namespace).must()
    until(lambda: not devices_of(api, name), "its device is gone with the node")
    api.delete(CLASS, VGPU).must()


def test_where_one_namespace_adopts_the_class_pods_of_another_are_counted_by_the_plugin_too(
    api: Api, namespace: str
) -> None:
    labels = {"resourceclass.io/adopt": "nvidia.tesla.m60"}
    with (
        fresh_node(api, "shared-m60", {GPU: "1"}, aliyun("Tesla-M60", "7613MiB", 1)),
        fresh_namespace(api, labels=labels) as adopting,
    ):
        wait_shown(api, "shared-m60", {"nvidia.tesla.m60": "1"})
        until(lambda: _asked_of_the_plugin(api, namespace, "nvidia.tesla.m60") == "1", "the webhook knows")
        place(api, namespace, asking("ours", "nvidia.tesla.m60"))
        # The label goes, and the node still knows how class pods are counted.
        api.patch("Namespace", adopting, {"metadata": {"labels": dict.fromkeys(labels)}}).must()
        holds(lambda: wait_shown(api, "shared-m60", {"nvidia.tesla.m60": "1"}), "it stays shown", 2)
    until(lambda: not devices_of(api, "shared-m60"), "its device is gone with the node")


def _asked_of_the_plugin(api: Api, namespace: str, class_name: str) -> Any:
    """What a pod of the class would ask of the vendor's plugin."""
    probed = api.create(asking("probe", class_name), namespace, dryRun="All").must()
    return probed["spec"]["containers"][0]["resources"]["limits"].get(GPU)


def test_a_drained_node_shows_the_class_before_it_is_uncordoned(api: Api, namespace: str) -> None:
    with (
        fresh_class(api, "counted", {"model": "Tesla P6"}, pod=COUNTED),
        fresh_node(api, "drained", {GPU: "1"}, aliyun("Tesla-P6", "16384MiB", 1)),
    ):
        wait_shown(api, "drained", {"counted": "1"})
        api.create(pod("plain", {GPU: "1"}, nodeName="drained"), namespace).must()
        # The class that the controller has made is not counted by the plugin, which is said there as well.
        plain = f"{namespace}/plain"
        until(lambda: plain in condition_of(api, "drained").get("message", ""), "the pod is named")
        wait_shown(api, "drained", {})
        api.patch("Node", "drained", {"spec": {"unschedulable": True}}).must()
        end(api, namespace, "plain")
        wait_shown(api, "drained", {"counted": "1"})
    until(lambda: not devices_of(api, "drained"), "its device is gone with the node")


def test_a_node_that_a_plugin_serves_says_how_a_class_can_be_shown_there(api: Api) -> None:
    with (
        fresh_class(api, "beside", {"model": "Tesla P40"}),
        fresh_node(api, "served", {GPU: "1"}, aliyun("Tesla-P40", "22919MiB", 1)),
    ):
        condition = wait_condition(api, "served", "SharedWithVendorPlugin")
        assert condition["status"] == "False"
        assert "spec.pod.vendorResource: nvidia.com/gpu" in condition["message"]
        wait_shown(api, "served", {})
        api.patch("resourceclass.io/v1alpha1/ResourceClass", "beside", {"spec": {"pod": COUNTED}}).must()
        wait_shown(api, "served", {"beside": "1"})
    until(lambda: not devices_of(api, "served"), "its device is gone with the node")
