"""`resourceclass explain`: the sentence that a tired person reads first, for every way a pod can stand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.cli.folder import GIB, K80, bound, device, node, pod, quota, resource_class
from webhook.cli.main import main

CLASS = resource_class()
EARLIER = "2026-01-01T10:00:00Z"
FREE = (CLASS, node("node-a"), device("node-a", "GPU-0"))
TAKEN = (*FREE, bound("other", "node-a", "GPU-0"))


@pytest.fixture
def explain(tmp_path, capsys, monkeypatch):
    """Return a function that explains a name among objects: exit code and output."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*objects, name="train", output="text", arguments=("-n", "team-a")):
        (tmp_path / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
        code = main(["explain", name, "--manifests", str(tmp_path), "-o", output, *arguments])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def answer(explain):
    """Return a function that gives the JSON answer; the exit code must agree with it."""

    def run(*objects, **more):
        code, out = explain(*objects, output="json", **more)
        document = json.loads(out)
        assert code == (0 if document["fine"] else 1)
        return document

    return run


def unschedulable(message):
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"conditions": [condition]}


def event(about, reason, message, when=EARLIER, by="resourceclass-scheduler", **more) -> dict[str, Any]:
    kind, _, name = about.partition("/")
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{reason.lower()}", "namespace": "team-a"},
        "involvedObject": {"kind": kind, "namespace": "team-a", "name": name, **more},
        "reason": reason,
        "message": message,
        "lastTimestamp": when,
        "reportingComponent": by,
    }


def workload(kind, name, api="apps/v1", owner=None, **spec):
    references = [{"kind": owner.partition("/")[0], "name": owner.partition("/")[2]}] if owner else []
    metadata = {"name": name, "namespace": "team-a", "ownerReferences": references}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec}


def lease(holder="scheduler-0_1", name="resourceclass-scheduler"):
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": "infra"},
        "spec": {"holderIdentity": holder, "renewTime": "2020-01-01T00:00:00.000000Z"},
    }


# What the table and the sentences look like as a whole.


def test_a_pod_whose_class_is_in_use_reads_like_this(explain):
    said = "0/2 nodes are available: 2 nvidia.tesla.k80 needs 1 device: 1 in use."
    code, out = explain(
        *TAKEN,
        device("node-b", "GPU-1", phase="Unhealthy"),
        node("node-b"),
        quota(4, used=2),
        pod(status=unschedulable(said)),
    )
    assert code == 1
    assert out == (
        "no node can serve pod team-a/train now: of 2 devices of nvidia.tesla.k80 1 in use, 1 unhealthy, "
        "none free\n"
        "\n"
        "CLASS              ASKED   FREE   DEVICES   IN USE   UNHEALTHY   TOO SMALL   QUOTA LEFT\n"
        "nvidia.tesla.k80   1       0      2         1        1           0           2\n"
        "nvidia.tesla.k80 is held by team-a/other\n"
        "\n"
        "closest is node-a (of 2 nodes with devices of its classes): nvidia.tesla.k80 needs 1 device: "
        "1 in use\n"
        "\n"
        "resourceclass-scheduler said of pod/train: Unschedulable: 0/2 nodes are available: 2 "
        "nvidia.tesla.k80 needs 1\n"
        "  device: 1 in use.\n"
        "\n"
        "- wait until one of the pods that hold devices ends: team-a/other\n"
        "- mend 1 unhealthy device: kubectl get er -o wide\n"
    )


def test_a_pod_with_its_device_reads_like_this(explain):
    share = resource_class("half", share={"memory": "4GiB"})
    more = {"class_name": "half", "memory_bytes": 4 * GIB}
    code, out = explain(
        *FREE, share, bound("train", "node-a", "GPU-0", **more), bound("beside", "node-a", "GPU-0", **more)
    )
    assert code == 0
    assert out == (
        "pod team-a/train has 4 GiB of GPU-0 (half, container main) on node-a\n"
        "\n"
        "CONTAINER   CLASS   DEVICE           BECAUSE           SHARED WITH\n"
        "main        half    4 GiB of GPU-0   model=Tesla K80   team-a/beside\n"
    )


# A pod that waits for devices.


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


# A pod that might go to a node, or may not.


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


# A pod at which nobody looks for a place.


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


# A pod with a node.


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


# There is no such pod.

REFUSAL = (
    'Error creating: admission webhook "pods.resourceclass.io" denied the request: exceeded quota: limits, '
    "requested: requests.resourceclass.io/nvidia.tesla.k80=1"
)
DEPLOYMENT = workload("Deployment", "train", replicas=2)
REPLICA_SET = workload("ReplicaSet", "train-5d9", owner="Deployment/train", replicas=2)
OWNED = {"ownerReferences": [{"kind": "ReplicaSet", "name": "train-5d9"}]}


def test_a_deployment_whose_controller_was_refused(answer):
    said = event("ReplicaSet/train-5d9", "FailedCreate", REFUSAL, by="replicaset-controller")
    found = answer(*FREE, DEPLOYMENT, REPLICA_SET, said, name="deployment/train")
    assert found["state"] == "Refused"
    assert found["message"].startswith(
        "deployment team-a/train has 0 of 2 pods, and the next one is refused: admission webhook"
    )


def test_a_bare_name_may_be_that_of_a_workload(answer):
    assert answer(*FREE, workload("Job", "train", api="batch/v1"))["subject"] == "job team-a/train"


def test_a_workload_that_has_its_pods_is_explained_by_one_that_waits(answer):
    pods = (bound("train-5d9-a", "node-a", "GPU-0"), pod("train-5d9-b"))
    for item in pods:
        item["metadata"].update(OWNED)
    found = answer(*FREE, DEPLOYMENT, REPLICA_SET, *pods, name="deploy/train")
    assert found["subject"] == "pod team-a/train-5d9-b"
    assert found["notes"][0] == "this is one of the 2 pods of deployment team-a/train; without a node: 1"


def test_old_refusals_of_a_complete_workload_do_not_count(answer):
    pods = (bound("a", "node-a", "GPU-0"), bound("b", "node-b", "GPU-1"))
    for item in pods:
        item["metadata"].update(OWNED)
    said = event("ReplicaSet/train-5d9", "FailedCreate", REFUSAL)
    found = answer(*FREE, device("node-b", "GPU-1"), DEPLOYMENT, REPLICA_SET, *pods, said)
    assert found["state"] == "Bound"


def test_a_pod_that_was_never_stored_is_found_by_its_controller(answer):
    said = event("ReplicaSet/train-5d9", "FailedCreate", REFUSAL, by="replicaset-controller")
    found = answer(*FREE, said, name="train-5d9-xyz")
    assert found["state"] == "Refused"
    assert found["message"] == (
        "there is no pod or workload team-a/train-5d9-xyz; replicaset-controller said of "
        f"replicaset/train-5d9: {REFUSAL}"
    )


def test_a_pod_of_nobody_is_found_in_what_the_webhook_told_the_owner_of_the_quota(answer):
    text = "refused pod train: exceeded quota: limits, requested: a=1, used: a=1, limited: a=1"
    said = event("ResourceQuota/limits", "QuotaExceeded", text, by="resourceclass-webhook")
    found = answer(*FREE, said)
    assert found["state"] == "Refused"
    assert found["message"].endswith(f"resourceclass-webhook said of resourcequota/limits: {text}")
    assert answer(*FREE, said, name="other")["state"] == "NotFound"


def test_a_pod_of_the_name_elsewhere_is_pointed_at(answer):
    found = answer(*FREE, pod(namespace="team-b"))
    assert found["state"] == "NotFound"
    assert found["remedies"] == ["there is a pod of this name in team-b: add -n team-b"]


def test_a_name_of_nothing_is_not_found(answer):
    found = answer(*FREE)
    assert found["message"] == "there is no pod or workload train in namespace team-a"


@pytest.mark.parametrize("name", ["service/train", "deployment/", ""])
def test_a_kind_that_has_no_pods_is_refused(explain, capsys, name):
    assert explain(*FREE, name=name) == (2, "")


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


def test_texts_of_others_do_not_steer_the_terminal(explain):
    said = "no\x1b[2J room\r\nhere"
    _, out = explain(*FREE, pod(status=unschedulable(said)))
    assert "no [2J room here" in " ".join(out.split())
    assert "\x1b" not in out


def test_properties_of_a_device_do_not_steer_the_terminal(explain):
    model = "K\x1b[8m80"
    _, out = explain(
        resource_class(model=model), device("node-a", "GPU-0", model), bound("train", "node-a", "GPU-0")
    )
    assert "model=K [8m80" in out
