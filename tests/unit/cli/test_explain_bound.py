"""What is said of a pod with a node."""

from __future__ import annotations

from tests.unit.cli.folder import EARLIER, bound, device, node, pod, quota, resource_class

CLASS = resource_class()
FREE = (CLASS, node("node-a"), device("node-a", "GPU-0"))
TAKEN = (*FREE, bound("other", "node-a", "GPU-0"))


def test_a_finished_pod_holds_nothing(answer):
    found = answer(*FREE, bound("train", "node-a", "GPU-0", status={"phase": "Succeeded"}))
    assert (found["state"], found["fine"]) == ("Finished", True)


def test_a_failed_pod_says_why(answer):
    failed = {"phase": "Failed", "reason": "NodeAffinity", "message": "Predicate failed"}
    found = answer(*FREE, bound("train", "node-a", "GPU-0", status=failed))
    assert found["state"] == "Failed"
    assert "(Failed, NodeAffinity: Predicate failed)" in found["message"]


def test_a_pod_bound_past_the_binder_has_no_record(answer):
    assert answer(*FREE, pod(nodeName="node-a"))["state"] == "NoRecord"


def test_a_device_held_twice_is_a_problem(answer):
    found = answer(*TAKEN, bound("train", "node-a", "GPU-0"))
    assert found["state"] == "HeldTwice"
    assert "held beyond what it can serve, by team-a/other and team-a/train" in found["message"]


def test_a_damaged_record_is_a_problem(answer):
    damaged = bound("train", "node-a", "GPU-0")
    damaged["metadata"]["annotations"]["devices.resourceclass.io/main"] = "GPU-1"
    assert answer(*FREE, damaged)["state"] == "DamagedRecord"


def test_a_device_that_is_gone_is_a_problem(answer):
    assert answer(*FREE, bound("train", "node-a", "GPU-9"))["state"] == "DeviceGone"


def test_an_unhealthy_device_is_a_problem(answer):
    sick = device("node-a", "GPU-0", phase="Unhealthy")
    assert answer(CLASS, sick, bound("train", "node-a", "GPU-0"))["state"] == "DeviceUnhealthy"


def test_a_device_that_left_its_class_is_noted(answer):
    found = answer(resource_class(model="Tesla P100"), *FREE[1:], bound("train", "node-a", "GPU-0"))
    assert found["state"] == "Bound"
    assert found["notes"] == ["GPU-0 does not belong to class nvidia.tesla.k80 as both are now"]
    assert found["devices"][0]["member"] is False


def test_a_pod_that_is_being_deleted_still_holds(answer):
    found = answer(*FREE, bound("train", "node-a", "GPU-0", metadata={"deletionTimestamp": EARLIER}))
    assert found["notes"] == ["the pod is being deleted and holds its devices until it is gone"]


def test_a_quota_that_is_not_computed_is_noted(answer):
    found = answer(*FREE, quota(4), pod())
    assert found["classes"][0]["quotas"] == [{"quota": "limits", "hard": "4", "used": "0", "left": None}]
    assert "quota limits is not computed for nvidia.tesla.k80 yet" in found["notes"][0]
