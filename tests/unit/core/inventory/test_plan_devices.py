"""What becomes of the device objects of a node when its labels come, change, flap and go."""

import pytest

from tests.unit.core.inventory.device_world import DeviceWorld
from tests.unit.core.inventory.label_nodes import AKS, GFD_MIG_MIXED, GFD_T4, a_node
from webhook.core.inventory.device_objects import device_object
from webhook.core.inventory.label_sources import DeviceSpec
from webhook.core.inventory.node_condition import NodeVerdict
from webhook.core.inventory.plan_devices import (
    CHANGING_SECONDS,
    MISSING_SECONDS,
    DevicePlan,
    Settling,
    plan_devices,
    plan_gone_node,
)

PLAIN = {"zone": "a"}
P4 = GFD_T4 | {"nvidia.com/gpu.product": "Tesla-P4", "nvidia.com/gpu.memory": "7611"}
CHANGING, MISSING = "Unhealthy (LabelsChanging)", "Unhealthy (LabelsMissing)"


def one(labels=GFD_T4, count="1"):
    return labels | {"nvidia.com/gpu.count": count}


def world(*labels):
    found = DeviceWorld(a_node())
    found.tick(*(labels or (GFD_T4,)))
    return found


def reasons(plan):
    return (plan.verdict.is_ready, plan.verdict.reason)


def test_labels_count_at_once_on_first_sight():
    node = DeviceWorld(a_node())
    plan = node.tick(GFD_T4)
    assert node.shown() == {"0": ("Tesla-T4", "Available"), "1": ("Tesla-T4", "Available")}
    assert plan.verdict == NodeVerdict(
        True, "DevicesKnown", "2 devices, as the labels of NVIDIA GPU feature discovery say"
    )
    assert plan.retry_seconds is None
    assert list(node.objects) == ["n1-0", "n1-1"]
    assert node.objects["n1-0"] == {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {
            "name": "n1-0",
            "labels": {
                "app.kubernetes.io/managed-by": "resourceclass",
                "resourceclass.io/discovered-by": "labels",
            },
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "uid-1"}],
        },
        "spec": {
            "nodeName": "n1",
            "deviceID": "0",
            "rawResourceName": "nvidia.com/gpu",
            "properties": node.objects["n1-0"]["spec"]["properties"],
        },
        "status": {"phase": "Available"},
    }


def test_a_second_look_at_the_same_labels_plans_nothing():
    node = world()
    assert not node.tick(after=1000)
    assert node.settling is None


def test_a_node_without_devices_gets_no_condition():
    assert DeviceWorld(a_node()).tick() == DevicePlan()


# NVIDIA/k8s-device-plugin: a driver that restarts takes the labels away for a while.


def test_devices_whose_labels_are_gone_are_unhealthy_and_back_at_once_with_them():
    node = world()
    node.held = {"1"}
    plan = node.tick(PLAIN, after=10)
    assert node.shown() == {"0": ("Tesla-T4", MISSING), "1": ("Tesla-T4", MISSING)}
    assert (plan.retry_seconds, reasons(plan)) == (MISSING_SECONDS, (False, "LabelsMissing"))
    assert not node.tick(after=MISSING_SECONDS - 1)
    node.tick(GFD_T4)
    assert node.shown() == {"0": ("Tesla-T4", "Available"), "1": ("Tesla-T4", "Bound")}
    assert "message" not in node.objects["n1-0"]["status"]
    assert node.settling is None


def test_devices_whose_labels_stay_away_go_once_no_pod_holds_them():
    node = world()
    node.held = {"1"}
    node.tick(PLAIN)
    node.tick(after=MISSING_SECONDS)
    assert node.shown() == {"1": ("Tesla-T4", MISSING)}
    assert not node.tick(after=1)
    node.held = set()
    node.tick(after=1)
    assert node.shown() == {}
    assert node.tick(after=1) == DevicePlan()


def test_a_restart_while_labels_are_away_only_delays():
    node = world()
    node.tick(PLAIN)
    node.restart()
    assert node.tick(after=MISSING_SECONDS).retry_seconds == MISSING_SECONDS
    node.tick(GFD_T4)
    assert set(node.shown().values()) == {("Tesla-T4", "Available")}


def test_changed_labels_are_believed_after_they_have_said_the_same_for_long_enough():
    node = world()
    plan = node.tick(P4, after=10)
    assert node.shown() == {"0": ("Tesla-T4", CHANGING), "1": ("Tesla-T4", CHANGING)}
    assert (plan.retry_seconds, reasons(plan)) == (CHANGING_SECONDS, (False, "LabelsChanging"))
    assert node.tick(after=CHANGING_SECONDS - 1).retry_seconds == 1
    plan = node.tick(after=1)
    assert node.shown() == {"0": ("Tesla-P4", "Available"), "1": ("Tesla-P4", "Available")}
    assert node.objects["n1-0"]["spec"]["properties"]["memory"] == "7611"
    assert reasons(plan) == (True, "DevicesKnown")
    assert not node.tick(after=1)
    assert node.settling is None


# NVIDIA/gpu-feature-discovery#27: on a mixed node the product changes every minute.


def test_labels_that_flap_never_settle_and_nothing_is_offered_meanwhile():
    node = world()
    for turn in range(40):
        node.tick((P4, GFD_T4)[turn % 2], after=60)
        assert set(node.shown().values()) == {("Tesla-T4", CHANGING)}
    node.tick(GFD_T4, after=60)
    assert not node.tick(after=CHANGING_SECONDS - 61)
    node.tick(after=61)
    assert set(node.shown().values()) == {("Tesla-T4", "Available")}


def test_labels_that_flap_over_nothing_have_to_settle_too():
    node = world()
    node.tick(P4, after=60)
    node.tick(PLAIN, after=60)
    node.tick(GFD_T4, after=60)
    assert set(node.shown().values()) == {("Tesla-T4", CHANGING)}
    node.tick(after=CHANGING_SECONDS)
    assert set(node.shown().values()) == {("Tesla-T4", "Available")}


def test_a_doubt_that_has_passed_is_not_spoken_of_and_still_waited_out():
    """The labels came back before anybody could write down that they had changed."""
    node = world()
    state = Settling(said=(), since_seconds=0.0, is_changing=True)
    plan, after = plan_devices(node.node, tuple(node.objects.values()), set(), state, 10.0)
    assert reasons(plan) == (True, "DevicesKnown")
    assert not plan
    assert after is not None


def test_a_restart_does_not_forget_that_labels_were_changing():
    node = world()
    node.tick(P4)
    node.restart()
    node.tick(GFD_T4)
    assert set(node.shown().values()) == {("Tesla-T4", CHANGING)}
    node.tick(after=CHANGING_SECONDS)
    assert set(node.shown().values()) == {("Tesla-T4", "Available")}


def test_a_held_device_whose_labels_have_changed_stays_as_it_is_until_it_is_released():
    node = world()
    node.held = {"0"}
    node.tick(P4)
    plan = node.tick(after=CHANGING_SECONDS)
    assert node.shown() == {"0": ("Tesla-T4", CHANGING), "1": ("Tesla-P4", "Available")}
    assert reasons(plan) == (False, "LabelsChanging")
    assert not node.tick(after=1)
    node.held = set()
    node.tick(after=1)
    assert node.shown()["0"] == ("Tesla-P4", "Available")


def test_fewer_devices_take_back_the_last_ones_and_only_after_a_while():
    node = world()
    node.tick(one())
    assert node.shown() == {"0": ("Tesla-T4", "Available"), "1": ("Tesla-T4", CHANGING)}
    node.tick(after=CHANGING_SECONDS)
    assert node.shown() == {"0": ("Tesla-T4", "Available")}


def test_more_devices_of_the_same_model_come_at_once():
    node = world(one())
    node.tick(GFD_T4)
    assert node.shown() == {"0": ("Tesla-T4", "Available"), "1": ("Tesla-T4", "Available")}


def test_more_devices_of_another_model_wait():
    node = world(one())
    node.tick(P4)
    assert node.shown() == {"0": ("Tesla-T4", CHANGING)}
    node.tick(after=CHANGING_SECONDS)
    assert node.shown() == {"0": ("Tesla-P4", "Available"), "1": ("Tesla-P4", "Available")}


def test_a_new_driver_is_written_down_without_a_wait():
    node = world()
    plan = node.tick(GFD_T4 | {"nvidia.com/cuda.driver-version.full": "580.1"})
    assert plan.spec_patches["n1-0"] == {"spec": {"properties": {"driver": "580.1"}}}
    assert not plan.status_patches
    assert set(node.shown().values()) == {("Tesla-T4", "Available")}


def test_what_somebody_has_added_to_the_properties_stays():
    node = world()
    node.objects["n1-0"]["spec"]["properties"]["rack"] = "7"
    assert not node.tick()


def test_a_device_that_somebody_else_calls_unhealthy_is_left_so():
    node = world()
    sick = {"phase": "Unhealthy", "reason": "Xid79"}
    node.objects["n1-0"]["status"] = dict(sick)
    assert not node.tick(after=1)
    node.tick(PLAIN)
    node.tick(GFD_T4)
    assert node.objects["n1-0"]["status"] == sick
    assert node.shown()["1"] == ("Tesla-T4", "Available")


def test_partitions_that_change_are_new_devices_and_the_old_ones_go():
    node = world(GFD_MIG_MIXED)
    assert set(node.shown()) == {"mig-1g.5gb-0", "mig-1g.5gb-1", "mig-3g.20gb-0"}
    fewer = {key: value for key, value in GFD_MIG_MIXED.items() if "mig-3g" not in key}
    node.tick(fewer | {"nvidia.com/mig-1g.5gb.count": "7"})
    node.tick(after=CHANGING_SECONDS)
    assert set(node.shown()) == {f"mig-1g.5gb-{index}" for index in range(7)}


def test_another_raw_resource_makes_another_device_of_it():
    node = world()
    node.node["status"]["capacity"]["nvidia.com/gpu.shared"] = "8"
    shared = GFD_T4 | {"nvidia.com/gpu.replicas": "4"}
    node.tick(shared)
    assert set(node.shown().values()) == {("Tesla-T4", CHANGING)}
    node.tick(after=CHANGING_SECONDS)
    raw = {obj["spec"]["rawResourceName"] for obj in node.objects.values()}
    assert raw == {"nvidia.com/gpu.shared"}
    assert not node.tick()


# Refusals


def test_a_refused_node_gets_a_condition_and_no_device():
    plan = DeviceWorld(a_node()).tick(AKS)
    assert not plan
    assert reasons(plan) == (False, "ModelUnknown")


def test_devices_of_a_node_that_is_refused_later_are_not_offered_until_it_settles():
    node = world()
    node.node["status"]["capacity"]["nvidia.com/gpu"] = "3"
    assert reasons(node.tick()) == (False, "MixedDevices")
    assert set(node.shown().values()) == {("Tesla-T4", CHANGING)}
    del node.node["status"]["capacity"]["nvidia.com/gpu"]
    node.tick(after=60)
    assert set(node.shown().values()) == {("Tesla-T4", CHANGING)}
    node.tick(after=CHANGING_SECONDS)
    assert set(node.shown().values()) == {("Tesla-T4", "Available")}


def test_contradictions_stand_in_the_condition():
    other = {"aliyun.accelerator/nvidia_name": "Tesla-P4"}
    plan = DeviceWorld(a_node()).tick(one(), other)
    assert plan.verdict.is_ready
    assert plan.verdict.message.endswith(plan.warnings[0])


# Other writers, other nodes


def an_agent_s(device_id="GPU-7", uid="uid-1", node="n1"):
    """An object as the node agent writes it."""
    obj = device_object(a_node(uid=uid, name=node), DeviceSpec(device_id, "nvidia.com/gpu", {"model": "T4"}))
    del obj["metadata"]["labels"]["resourceclass.io/discovered-by"]
    return obj | {"status": {"phase": "Available"}}


def test_where_device_objects_are_written_by_somebody_else_labels_are_not_believed():
    for labels in (None, {"app.kubernetes.io/managed-by": "resourceclass"}):
        theirs = an_agent_s()
        theirs["metadata"]["labels"] = labels
        node = DeviceWorld(a_node(), [theirs])
        plan = node.tick(GFD_T4)
        assert not plan
        assert plan.verdict == NodeVerdict(True, "DevicesKnown", "1 device, as their objects say")


def test_devices_from_labels_make_way_for_the_agent_s_once_they_are_released():
    node = world()
    node.objects["n1-gpu-7"] = an_agent_s()
    node.held = {"0"}
    node.tick()
    assert node.shown() == {"0": ("Tesla-T4", "Unhealthy (Superseded)"), "GPU-7": ("T4", "Available")}
    assert not node.tick()
    node.held = set()
    node.tick()
    assert set(node.shown()) == {"GPU-7"}


def test_devices_from_labels_come_back_when_the_agent_s_are_gone():
    node = world()
    node.held = {"0"}
    node.objects["n1-gpu-7"] = an_agent_s()
    node.tick()
    del node.objects["n1-gpu-7"]
    node.tick()
    assert node.shown() == {"0": ("Tesla-T4", "Bound"), "1": ("Tesla-T4", "Available")}


# Project-HAMi/HAMi PR#2590: caches by the node's name offered devices of the old machine.
def test_devices_of_an_earlier_node_of_the_name_go_at_once_and_the_new_ones_come():
    node = world()
    node.held = {"0"}
    node.objects["n1-gpu-7"] = an_agent_s()
    node.node["metadata"]["uid"] = "uid-2"
    plan = node.tick(P4)
    assert len(plan.delete) == 3
    assert node.shown() == {"0": ("Tesla-P4", "Available"), "1": ("Tesla-P4", "Available")}
    owners = {obj["metadata"]["ownerReferences"][0]["uid"] for obj in node.objects.values()}
    assert owners == {"uid-2"}


def test_of_a_node_that_does_not_exist_ours_go_and_a_person_s_stay():
    ours, agents, theirs = *world(one()).objects.values(), an_agent_s(), an_agent_s()
    theirs["metadata"]["labels"] = {}
    assert plan_gone_node([ours, agents, theirs]) == (ours, agents)


@pytest.mark.parametrize("node", [{}, {"metadata": None}, {"metadata": {"labels": []}}])
def test_a_node_of_wrong_types_plans_nothing(node):
    assert plan_devices(node, [], set(), None, 0.0) == (DevicePlan(), None)
