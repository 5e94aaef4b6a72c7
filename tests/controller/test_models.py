"""Models as drivers, labels and people spell them."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.controller.labelled import devices_of, labelled_node, shown, wait_shown
from tests.controller.objects import wait_condition, written_device
from tests.harness.api import Api
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import asking, device, place, refuse

K80, TITAN = "nvidia.tesla.k80", "nvidia.titan-x-pascal"
LONG = "NVIDIA A100-SXM4-80GB Liquid Cooled Datacenter Edition Rev B MIG 3g.40gb"

pytestmark = pytest.mark.usefixtures("controller")


def product(text: str) -> dict[str, str]:
    return {
        "nvidia.com/gpu.product": text,
        "nvidia.com/gpu.memory": "11441",
        "nvidia.com/gpu.count": "1",
    }


# kubernetes/website PR#4086, NVIDIA/k8s-device-plugin#514 and PR#1880: models are no legal label values.
def test_one_model_is_one_class_in_all_its_spellings_and_another_model_is_not(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with ExitStack() as stack:
        stack.enter_context(labelled_node(api, "k1", product("Tesla-K80")))
        stack.enter_context(labelled_node(api, "k2", product("NVIDIA-Tesla-K80")))
        stack.enter_context(labelled_node(api, "k3", {}))
        stack.enter_context(written_device(api, "k3", "GPU-3", model="Tesla K80", memory="11441MiB"))
        # What has no legal label value has a count and no product.
        stack.enter_context(labelled_node(api, "t1", {"nvidia.com/gpu.count": "1"}))
        wait_condition(api, "t1", "ModelUnknown")
        stack.enter_context(written_device(api, "t1", "GPU-T", model="NVIDIA TITAN X (Pascal)"))
        for node in ("k1", "k2", "k3"):
            wait_shown(api, node, {K80: "1"})
        wait_shown(api, "t1", {TITAN: "1"})
        assert wait_condition(api, "t1", "DevicesKnown")["status"] == "True"

        pods = [place(api, namespace, asking(f"p{number}", K80)) for number in range(3)]
        assert {pod["spec"]["nodeName"] for pod in pods} == {"k1", "k2", "k3"}
        refuse(api, namespace, asking("late", K80))
        pod = place(api, namespace, asking("titan", TITAN))
        assert (pod["spec"]["nodeName"], device(pod)) == ("t1", "GPU-T")


def test_a_model_that_is_too_long_for_a_label_is_a_class_like_any_other(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "long", {}), written_device(api, "long", "GPU-L", model=LONG):
        found = until(lambda: shown(api.get("Node", "long").must()), "the node shows a class")
        (name,) = found
        assert len(name) <= 63
        assert name.startswith("nvidia.a100-sxm4-80gb-liquid-cooled")
        assert device(place(api, namespace, asking("p", name))) == "GPU-L"


def test_objects_of_a_person_are_left_alone_and_labels_not_believed_beside_them(api: Api) -> None:
    with labelled_node(api, "both", {}), written_device(api, "both", "GPU-B", model="Tesla K80") as name:
        before = api.get("resourceclass.io/v1alpha1/ExtendedResource", name).must()
        body = {"metadata": {"labels": product("Tesla-P4")}}
        api.patch("Node", "both", body).must()
        wait_shown(api, "both", {K80: "1"})
        (only,) = devices_of(api, "both")
        assert only["spec"] == before["spec"]
        assert only["metadata"].get("labels") is None
