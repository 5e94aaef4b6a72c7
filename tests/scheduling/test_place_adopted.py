"""Nodes that a vendor's device plugin serves too: both counts hold, for adopted pods and for class pods."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.harness.api import Api
from tests.harness.devices import Card, device_nodes
from tests.harness.product import fresh_class
from tests.harness.waiting import until
from tests.scheduling.expect import asking, bound, devices, end, key, place, refuse

pytestmark = pytest.mark.usefixtures("scheduler")

Json = dict[str, Any]

GPU = "nvidia.com/gpu"
VGPU = "nvidia.grid-p4-2q"
NODE = "vgn5i-1"
EXAMPLE = Path(__file__).parents[2] / "examples" / "05-lightweight-vgpu.yaml"


@contextmanager
def vgpu_node(api: Api, counted: int = 1) -> Iterator[None]:
    """The node of the example with its one virtual card, of which the vendor's plugin counts so many."""
    labels = {NODE: {"aliyun.accelerator/nvidia_mem": "2048MiB"}}
    with device_nodes(api, {NODE: [Card("GRID-P4-2Q", 2048)]}, labels):
        if counted:
            amounts = {GPU: str(counted)}
            status = {"status": {"capacity": amounts, "allocatable": amounts}}
            api.patch("Node", NODE, status, subresource="status").must()
        yield


@pytest.fixture(autouse=True)
def counted_class(api: Api) -> Iterator[None]:
    """A class whose pods ask for the vendor's resource as well."""
    with fresh_class(api, VGPU, {"model": "GRID-P4-2Q"}, pod={"vendorResource": GPU}):
        yield


def adopt(api: Api, namespace: str) -> None:
    api.patch("Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/adopt": VGPU}}}).must()
    probe = deployment()["spec"]["template"] | {"apiVersion": "v1", "kind": "Pod"}
    probe["metadata"] = {"name": "probe"}
    until(
        lambda: key(VGPU) in str(api.create(probe, namespace, dryRun="All").must()["spec"]),
        "the API server knows the label",
    )


def deployment() -> Json:
    """The Deployment of the example, as it stands."""
    _, made = yaml.safe_load_all(EXAMPLE.read_text())
    found: Json = made
    return found


def is_ending(api: Api, namespace: str, name: str) -> bool:
    return "deletionTimestamp" in api.get("Pod", name, namespace).must()["metadata"]


def test_the_deployment_of_a_lightweight_vgpu_gets_its_device_unchanged(api: Api, namespace: str) -> None:
    adopt(api, namespace)
    with vgpu_node(api):
        api.create(deployment(), namespace).must()
        (made,) = until(lambda: api.items("Pod", namespace), "the pod of the deployment exists")
        pod = bound(api, namespace, made["metadata"]["name"])

        assert devices(pod) == {"cuda-sample": [f"GPU-{NODE}-0"]}
        refuse(api, namespace, asking("another", VGPU))

        api.patch("Deployment", "cuda-sample", {"spec": {"replicas": 0}}, namespace).must()
        until(lambda: is_ending(api, namespace, made["metadata"]["name"]), "the pod is being deleted")
        end(api, namespace, made["metadata"]["name"])
        assert devices(bound(api, namespace, "another")) == {"main": [f"GPU-{NODE}-0"]}


def test_a_class_pod_is_counted_by_the_vendors_plugin_as_well(api: Api, namespace: str) -> None:
    with vgpu_node(api):
        limits = place(api, namespace, asking("p", VGPU))["spec"]["containers"][0]["resources"]["limits"]

    assert limits == {key(VGPU): "1", GPU: "1"}


def test_where_the_vendors_plugin_has_none_left_the_pod_waits(api: Api, namespace: str) -> None:
    with vgpu_node(api, counted=0):
        assert f"Insufficient {GPU}" in refuse(api, namespace, asking("p", VGPU))
