"""Each source of labels, from a node as it labels one to a bound pod; and labels that are not believed."""

from __future__ import annotations

import pytest

from tests.controller.labelled import devices_of, labelled_node, wait_shown
from tests.controller.objects import wait_condition, warnings_about
from tests.harness.api import Api
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import asking, device, place, refuse
from tests.unit.core.inventory.label_nodes import (
    AKS,
    ALIYUN_P4,
    ALIYUN_VGPU,
    EKS_AUTO_A100,
    EKS_V100,
    GFD_MIG_MIXED,
    GFD_MIG_SINGLE,
    GFD_SHARED,
    GFD_T4,
    GKE_T4,
    KARPENTER_L4,
)

T4 = "nvidia.tesla.t4"
MIG_1G, MIG_3G = "nvidia.a100-sxm4-40gb-mig-1g.5gb", "nvidia.a100-sxm4-40gb-mig-3g.20gb"

pytestmark = pytest.mark.usefixtures("controller")


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        pytest.param(GFD_T4, {T4: "2"}, id="gpu-feature-discovery"),
        pytest.param(GFD_SHARED, {T4: "2"}, id="gpu-feature-discovery-sharing"),
        pytest.param(GFD_MIG_SINGLE, {MIG_1G: "14"}, id="gpu-feature-discovery-mig-single"),
        pytest.param(GFD_MIG_MIXED, {MIG_1G: "2", MIG_3G: "1"}, id="gpu-feature-discovery-mig-mixed"),
        pytest.param(ALIYUN_P4, {"nvidia.tesla.p4": "2"}, id="alibaba-cloud"),
        pytest.param(ALIYUN_VGPU, {"nvidia.grid-p4-2q": "1"}, id="alibaba-cloud-vgpu"),
        pytest.param(GKE_T4, {T4: "2"}, id="gke"),
        pytest.param(EKS_AUTO_A100, {"nvidia.a100-sxm4-80gb": "8"}, id="eks-auto-mode"),
        pytest.param(KARPENTER_L4, {"nvidia.l4": "1"}, id="karpenter"),
        pytest.param(EKS_V100, {"nvidia.tesla.v100-sxm2-16gb": "1"}, id="eks-cluster-autoscaler"),
    ],
)
def test_a_node_that_a_source_has_labelled_serves_pods_of_its_model(
    api: Api, namespace: str, scheduler: SchedulerPod, labels: dict[str, str], shown: dict[str, str]
) -> None:
    with labelled_node(api, "sourced", labels):
        wait_shown(api, "sourced", shown)
        known = {obj["spec"]["deviceID"] for obj in devices_of(api, "sourced")}
        for number, name in enumerate(shown):
            pod = place(api, namespace, asking(f"p{number}", name))
            assert pod["spec"]["nodeName"] == "sourced"
            assert device(pod) in known


def test_sources_that_contradict_each_other_are_warned_of_and_the_first_is_believed(api: Api) -> None:
    other = ALIYUN_P4 | {"aliyun.accelerator/nvidia_count": "1"}
    with labelled_node(api, "disputed", GFD_T4 | {"nvidia.com/gpu.count": "1"} | other):
        wait_shown(api, "disputed", {T4: "1"})
        text = "gpu.product=Tesla-T4 and aliyun.accelerator/nvidia_name=Tesla-P4 contradict each other"
        until(lambda: any(text in said for said in warnings_about(api, "disputed")), "an event says so")
        assert text in wait_condition(api, "disputed", "DevicesKnown")["message"]


# NVIDIA/k8s-device-plugin#731: a node of several models is labelled as one of one model.
def test_a_node_that_may_be_mixed_is_refused_and_says_what_to_do(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "mixed", GFD_T4 | ALIYUN_P4):
        condition = wait_condition(api, "mixed", "MixedDevices")
        assert condition["status"] == "False"
        assert "run the node agent there" in condition["message"]
        assert devices_of(api, "mixed") == []
        with labelled_node(api, "pure", GFD_T4 | {"nvidia.com/gpu.count": "1"}):
            wait_shown(api, "pure", {T4: "1"})
            assert place(api, namespace, asking("a", T4))["spec"]["nodeName"] == "pure"
            refuse(api, namespace, asking("b", T4))


def test_a_node_whose_labels_name_no_model_says_so(api: Api) -> None:
    with labelled_node(api, "aks", AKS):
        assert wait_condition(api, "aks", "ModelUnknown")["status"] == "False"


def test_labels_that_flap_between_two_models_offer_nothing(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    """It takes minutes of the same labels to be believed again; the unit tests let them pass."""
    with labelled_node(api, "flapping", GFD_T4):
        wait_shown(api, "flapping", {T4: "2"})
        held = place(api, namespace, asking("held", T4))
        for product in ("Tesla-P4", "Tesla-T4"):
            body = {"metadata": {"labels": {"nvidia.com/gpu.product": product}}}
            api.patch("Node", "flapping", body).must()
            wait_condition(api, "flapping", "LabelsChanging")
            wait_shown(api, "flapping", {T4: "1"})
        refuse(api, namespace, asking("late", T4))
        assert (
            api.get("Pod", "held", namespace).must()["metadata"]["annotations"]
            == held["metadata"]["annotations"]
        )
        reasons = {obj["status"].get("reason") for obj in devices_of(api, "flapping")}
        assert reasons == {"LabelsChanging"}
