"""Why a pod waits though devices are free: nodes that it may not use, or that do not show them."""

from __future__ import annotations

import pytest

from tests.unit.cli.folder import K80, bound, device, event, node, pod, resource_class, unschedulable

CLASS = resource_class()
FREE = (CLASS, node("node-a"), device("node-a", "GPU-0"))
TAKEN = (*FREE, bound("other", "node-a", "GPU-0"))


@pytest.mark.parametrize(
    ("more", "spec", "gate", "remedy"),
    [
        ({"spec": {"unschedulable": True}}, {}, "is cordoned", "kubectl uncordon node-a"),
        (
            {"spec": {"taints": [{"key": "gpu", "value": "only", "effect": "NoSchedule"}]}},
            {},
            "has the taint gpu=only:NoSchedule, which the pod does not tolerate",
            "spec.pod.tolerations of the class",
        ),
        (
            {},
            {"nodeSelector": {"disk": "ssd"}},
            "lacks disk=ssd of the pod's nodeSelector",
            "widen the pod's nodeSelector",
        ),
    ],
)
def test_a_free_device_where_the_pod_may_not_go(answer, more, spec, gate, remedy):
    found = answer(CLASS, node("node-a", **more), device("node-a", "GPU-0"), pod(**spec))
    assert found["state"] == "Excluded"
    assert found["message"] == (
        f"devices are free for pod team-a/train, but not where it may go: node-a {gate}"
    )
    assert remedy in found["remedies"][0]


def test_nodes_that_may_not_be_used_are_named_when_they_are_full_as_well(answer):
    found = answer(*TAKEN, pod(nodeSelector={"disk": "ssd"}))
    assert found["state"] == "Excluded"
    assert (
        "may go to none of the 1 node with devices of its classes: node-a lacks disk=ssd" in found["message"]
    )


def test_devices_of_a_node_that_is_gone_are_no_place(answer):
    found = answer(CLASS, device("node-a", "GPU-0"), node("node-b"), pod())
    assert found["state"] == "Excluded"
    assert "node-a is no node of the cluster" in found["message"]


def test_a_node_that_does_not_show_its_devices_is_found(answer):
    bare = node("node-a")
    bare["metadata"]["labels"] = {}
    found = answer(CLASS, bare, device("node-a", "GPU-0"), pod())
    assert found["state"] == "NotShown"
    assert "the node has no label class.resourceclass.io/nvidia.tesla.k80" in found["message"]


def test_room_that_the_scheduler_has_not_used_yet(answer):
    found = answer(*FREE, pod())
    assert found["state"] == "HasRoom"
    assert found["message"] == (
        "node-a has room for pod team-a/train, and the scheduler has not spoken of it yet"
    )


def test_room_while_the_scheduler_speaks_of_something_else(answer):
    found = answer(*FREE, pod(status=unschedulable("0/1 nodes are available: 1 Insufficient cpu.")))
    assert found["state"] == "HasRoom"
    assert found["message"].endswith("The scheduler said: 0/1 nodes are available: 1 Insufficient cpu.")


def test_the_latest_event_of_the_scheduler_is_quoted_and_one_of_an_earlier_pod_is_not(answer):
    last = 'Post "http://127.0.0.1:9098/filter": connection refused'
    found = answer(
        *FREE,
        pod(),
        event("Pod/train", "FailedScheduling", last, uid="uid-train"),
        event("Pod/train", "FailedBinding", "of before", "2026-01-01T11:00:00Z", uid="uid-before"),
    )
    assert last in found["message"]
    assert [told["message"] for told in found["said"]] == [last]


@pytest.mark.parametrize(
    ("label", "allocatable", "words"),
    [
        ("1", "2", "has the label class.resourceclass.io/nvidia.tesla.k80=1, the pod needs 2"),
        ("x", "2", "has the label class.resourceclass.io/nvidia.tesla.k80=x, the pod needs 2"),
        ("2", None, "lists no resourceclass.io/nvidia.tesla.k80 in its allocatable"),
        ("2", "1", "lists 1 unit of nvidia.tesla.k80 in its allocatable, of which 0 are in use"),
    ],
)
def test_what_a_node_shows_too_little_of_is_named(answer, label, allocatable, words):
    shy = node("node-a")
    shy["metadata"]["labels"] = {f"class.resourceclass.io/{K80}": label}
    shy["status"]["allocatable"] = {f"resourceclass.io/{K80}": allocatable} if allocatable else {}
    found = answer(CLASS, shy, device("node-a", "GPU-0"), device("node-a", "GPU-1"), pod(units=2))
    assert found["state"] == "NotShown"
    assert found["nearest"]["obstacles"] == [words]


def test_of_a_share_the_label_must_reach_the_largest_container_alone(answer):
    share = resource_class("half", share={"memory": "4GiB"})
    shown = node("node-a", 2, "half")
    two = pod(units={"half": 1})
    two["spec"]["containers"].append({**two["spec"]["containers"][0], "name": "beside"})
    shown["metadata"]["labels"] = {"class.resourceclass.io/half": "1"}
    assert answer(share, shown, device("node-a", "GPU-0"), two)["state"] == "HasRoom"


def test_a_node_that_could_serve_the_pod_but_may_not_is_named_before_those_that_never_can(answer):
    nodes = (node("node-b", 2, spec={"unschedulable": True}), device("node-b", "G1"), device("node-b", "G2"))
    found = answer(*TAKEN, *nodes, bound("x", "node-b", "G1"), pod(units=2))
    assert found["state"] == "Excluded"
    assert "can ever serve it; node-b could, but it is cordoned" in found["message"]


def refused_by_the_controller(name):
    told = {
        "type": "ResourceClassReady",
        "status": "False",
        "reason": "MixedDevices",
        "message": "two models",
    }
    found = node(name)
    found["metadata"]["labels"] = {}
    found["status"]["conditions"] = [told]
    return found


def test_what_the_controller_says_of_a_node_is_repeated_where_it_shows_no_devices(answer):
    hidden = answer(CLASS, refused_by_the_controller("node-a"), device("node-a", "GPU-0"), pod())
    assert hidden["state"] == "NotShown"
    assert hidden["remedies"][0] == "of node-a the controller says MixedDevices: two models"
    unknown = answer(CLASS, refused_by_the_controller("node-b"), pod())
    assert unknown["state"] == "NoDevice"
    assert unknown["remedies"][0] == "of node-b the controller says MixedDevices: two models"


def test_what_others_say_of_a_pod_is_shown_but_is_not_the_schedulers_word(answer):
    last = event(
        "Pod/train", "NotTriggerScaleUp", "max size", "2026-01-01T12:00:00Z", by="cluster-autoscaler"
    )
    found = answer(*FREE, pod(status=unschedulable("1 Insufficient cpu.")), last)
    assert found["message"].endswith("The scheduler said: 1 Insufficient cpu.")
    assert found["said"][0]["message"] == "max size"


def test_what_the_first_line_has_said_of_the_only_node_is_not_said_again(explain):
    _, never = explain(*FREE, pod(units=3))
    assert never.count("nvidia.tesla.k80 needs 3 devices: 1 free") == 1
    _, room = explain(*FREE, pod())
    assert "has room for pod" in room
    assert "has room for it" not in room
