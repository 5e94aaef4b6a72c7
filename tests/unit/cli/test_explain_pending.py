"""Why a pod waits: the pod itself, the scheduler, or the devices."""

from __future__ import annotations

import pytest

from tests.unit.cli.folder import EARLIER, K80, bound, device, lease, node, pod, resource_class

CLASS = resource_class()
FREE = (CLASS, node("node-a"), device("node-a", "GPU-0"))
TAKEN = (*FREE, bound("other", "node-a", "GPU-0"))


def test_devices_that_are_free_but_not_on_one_node(answer):
    nodes = (node("node-a"), device("node-a", "GPU-0"), node("node-b", 2), device("node-b", "GPU-1"))
    found = answer(CLASS, *nodes, device("node-b", "GPU-2"), bound("x", "node-b", "GPU-2"), pod(units=2))
    assert found["state"] == "InUse"
    assert found["message"].endswith(
        "enough is free, but not on one node; on node-b nvidia.tesla.k80 needs 2 devices: 1 free, 1 in use"
    )


def test_more_than_any_node_has_can_never_be_served(answer):
    found = answer(*TAKEN, pod(units=3))
    assert found["state"] == "NeverFits"
    assert found["message"] == (
        "no node can ever serve pod team-a/train, even when empty: on node-a nvidia.tesla.k80 needs 3 "
        "devices: 1 free"
    )


def test_a_share_larger_than_any_device_can_never_be_served(answer):
    big = resource_class("big", share={"memory": "8GiB"})
    found = answer(*FREE, big, pod(units={"big": 2}))
    assert (found["state"], found["classes"][0]["tooSmall"]) == ("NeverFits", 0)
    assert "big needs 16 GiB of one device: 1 too small" in found["message"]


def test_classes_that_no_node_has_together_can_never_be_served(answer):
    other = (resource_class("p100", "Tesla P100"), device("node-b", "GPU-1", model="Tesla P100"))
    found = answer(*FREE, *other, node("node-b"), pod(units={K80: 1, "p100": 1}))
    assert found["state"] == "NeverFits"
    assert "none has devices of nvidia.tesla.k80 and p100 together" in found["message"]


def test_a_class_without_devices_is_the_reason(answer):
    found = answer(CLASS, node("node-a"), pod())
    assert found["state"] == "NoDevice"
    assert "no device in the cluster belongs to it" in found["message"]
    assert "kubectl get rclass nvidia.tesla.k80 -o yaml" in found["remedies"][0]


def test_a_terminating_pod_is_named_as_holding_its_device(answer):
    leaving = bound("old", "node-a", "GPU-0", metadata={"deletionTimestamp": EARLIER})
    found = answer(*FREE, leaving, pod())
    assert found["state"] == "InUse"
    assert any("team-a/old is being deleted and held until gone" in text for text in found["remedies"])


def test_a_damaged_record_blocks_the_node(answer):
    damaged = bound("old", "node-a", "GPU-0")
    damaged["metadata"]["annotations"] = {"resourceclass.io/allocation": "{"}
    found = answer(*FREE, damaged, pod())
    assert found["state"] == "NodeBlocked"
    assert "the record of team-a/old is damaged" in found["message"]


def test_a_vendors_pod_holds_a_device_back(explain):
    vendor = pod("vendor", {}, nodeName="node-a", schedulerName="default-scheduler")
    vendor["spec"]["containers"][0]["resources"]["limits"] = {"nvidia.com/gpu": "1"}
    _, out = explain(*FREE, vendor, pod())
    assert "1 of nvidia.tesla.k80 held back: used by pods without a record" in out


@pytest.mark.parametrize(
    ("changed", "state", "words"),
    [
        ({"schedulingGates": [{"name": "example.com/budget"}]}, "Gated", "waits for example.com/budget"),
        (
            {"schedulerName": "default-scheduler"},
            "ForeignScheduler",
            "left to the scheduler default-scheduler",
        ),
        ({"units": {"nvidia.tesla.k8": 1}}, "UnknownClass", "class nvidia.tesla.k8, which does not exist"),
        ({"units": {"broken": 1}}, "UnreadableClass", "cannot be read: spec.selector is empty"),
        ({"status": {"nominatedNodeName": "node-a"}}, "Preempting", "waits for node-a, where pods of lower"),
        (
            {"metadata": {"deletionTimestamp": EARLIER}},
            "Terminating",
            "is being deleted and will not be placed",
        ),
        ({"units": {}}, "NoClass", "asks for no class of device"),
    ],
)
def test_the_pod_itself_is_the_reason(answer, changed, state, words):
    found = answer(*FREE, resource_class("broken", selector={}), pod(**changed))
    assert found["state"] == state
    assert words in found["message"]


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("volcano", "delete it and create it again without schedulerName"),
        ("default-scheduler", "the webhook, which has not seen it, then names the scheduler of classes"),
        ("", "the webhook, which has not seen it, then names the scheduler of classes"),
    ],
)
def test_a_scheduler_that_nobody_has_named_is_not_told_to_be_left_out(answer, name, remedy):
    assert remedy in answer(*FREE, pod(schedulerName=name))["remedies"][0]


def test_a_lease_without_a_holder_means_that_no_scheduler_runs(answer):
    found = answer(*FREE, pod(), lease(holder=""))
    assert found["state"] == "NoScheduler"
    assert "the Lease infra/resourceclass-scheduler has no holder" in found["message"]


@pytest.mark.parametrize("leases", [[lease()], [lease(""), {**lease()}]])
def test_a_lease_that_is_held_does_not_stand_in_the_way(answer, leases):
    leases = [
        {**item, "metadata": {**item["metadata"], "namespace": f"n{i}"}} for i, item in enumerate(leases)
    ]
    assert answer(*FREE, pod(), *leases)["state"] == "HasRoom"
