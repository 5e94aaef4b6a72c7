"""One node: what its labels and pods call for is written once, in few requests, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.binder.worlds import bound, k80_pod
from tests.unit.controller.worlds import OURS, Cluster, a_node
from webhook.cluster.api import ApiError
from webhook.controller.node_work import GONE_SECONDS
from webhook.core.values.names import stored_key

Json = dict[str, Any]
K80 = "nvidia.tesla.k80"
DEVICES = f"{OURS}/extendedresources"
LABEL = f"class.resourceclass.io/{K80}"


def held_by(name: str, node: str = "a", device: str = "0") -> Json:
    """A pod that asks for a K80 and holds one."""
    pod = bound(k80_pod(name), node, device, class_name=K80)
    limits = {stored_key(K80): "1"}
    return {
        **pod,
        "spec": {**pod["spec"], "containers": [{"name": "c", "resources": {"limits": limits}}]},
        "status": {"conditions": [{"type": "PodScheduled", "lastTransitionTime": "2026-01-01T00:00:00Z"}]},
    }


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_a_labelled_node_gets_devices_class_label_and_capacity_in_one_write_each(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    assert cluster.settle() == [
        f"POST {DEVICES}",
        f"POST {DEVICES}",
        f"POST {OURS}/resourceclasses",
        "PATCH /api/v1/nodes/a/status",
        f"PATCH {OURS}/resourceclasses/{K80}/status",
    ]
    node = cluster.node("a")
    assert (node["metadata"]["labels"][LABEL], node["metadata"]["labels"]["team"]) == ("2", "x")
    assert node["status"]["capacity"] == {"cpu": "4", f"resourceclass.io/{K80}": "2"}
    assert node["status"]["capacity"] == node["status"]["allocatable"]
    assert {item["type"] for item in node["status"]["conditions"]} == {"Ready", "ResourceClassReady"}
    assert cluster.a_class(K80)["status"]["devices"] == 2


def test_what_was_written_comes_back_and_makes_no_write(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    cluster.settle()
    cluster.watch()
    assert cluster.settle() == []


def test_the_second_node_of_a_model_costs_its_own_writes_alone(cluster: Cluster) -> None:
    cluster.put("nodes", a_node("a"))
    cluster.settle()
    cluster.put("nodes", a_node("b"))
    assert cluster.work() == [f"POST {DEVICES}", "PATCH /api/v1/nodes/b/status"]


def test_a_node_without_devices_is_not_written(cluster: Cluster) -> None:
    plain = a_node()
    plain["metadata"]["labels"] = {"team": "x"}
    cluster.put("nodes", plain)
    assert cluster.settle() == []


def test_a_device_that_is_held_says_so_and_is_counted(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    cluster.settle()
    cluster.put("pods", held_by("p"))
    cluster.settle()
    assert cluster.device("a-0")["status"]["phase"] == "Bound"
    assert [item["pod"] for item in cluster.device("a-0")["status"]["consumers"]] == ["p"]
    assert (cluster.a_class(K80)["status"]["free"], cluster.a_class(K80)["status"]["devices"]) == (1, 2)
    cluster.drop("pods", "p", "team-a")
    cluster.settle()
    assert cluster.device("a-0")["status"]["phase"] == "Available"


def test_capacity_stays_where_pods_use_it_when_devices_are_gone(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.settle()
    cluster.put("pods", held_by("p"))
    cluster.settle()
    node = cluster.node("a")
    labels = {key: value for key, value in node["metadata"]["labels"].items() if "aliyun" not in key}
    cluster.put("nodes", {**node, "metadata": {**node["metadata"], "labels": labels}})
    cluster.settle()
    cluster.settle()
    assert cluster.work(3600) is not None
    node = cluster.node("a")
    assert (node["metadata"]["labels"][LABEL], node["status"]["allocatable"][stored_key(K80)]) == ("1", "1")


def test_capacity_stays_where_a_pod_is_bound_while_its_device_is_written(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.settle()
    node = cluster.node("a")

    def bind() -> None:
        cluster.put("pods", held_by("p"))

    cluster.api.meanwhile[f"PATCH {DEVICES}/a-0/status"] = bind
    cluster.put("nodes", {**node, "metadata": {**node["metadata"], "labels": {LABEL: "1"}}})
    cluster.nodes("a")
    assert cluster.device("a-0")["status"]["phase"] == "Unhealthy"
    assert cluster.node("a")["status"]["capacity"][stored_key(K80)] == "1"


def test_devices_of_a_node_that_is_gone_go_too(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    cluster.settle()
    cluster.drop("nodes", "a")
    assert [*cluster.work(), *cluster.work(GONE_SECONDS - 1)] == []
    assert cluster.work(1) == [f"DELETE {DEVICES}/a-0", f"DELETE {DEVICES}/a-1"]
    cluster.settle()
    assert cluster.a_class(K80)["status"]["devices"] == 0


def test_a_node_that_goes_before_the_answer_to_a_write_is_not_learned_again(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.api.meanwhile["PATCH /api/v1/nodes/a/status"] = lambda: cluster.drop("nodes", "a")
    cluster.settle()
    assert cluster.world.nodes.all() == []
    assert cluster.work(GONE_SECONDS) == [f"DELETE {DEVICES}/a-0"]


def test_labels_that_change_just_before_a_write_of_ours_are_not_missed(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=1))
    cluster.settle()
    uid = {"uid": cluster.node("a")["metadata"]["uid"]}
    few, more = ({**node, "metadata": {**node["metadata"], **uid}} for node in (a_node(), a_node(count=2)))
    cluster.put("nodes", few)  # somebody has removed what we had written
    cluster.api.put("/api/v1/nodes/a", more)  # the watch does not know it yet
    assert cluster.work()[0] == "PATCH /api/v1/nodes/a/status"
    cluster.watch().settle()
    assert cluster.node("a")["metadata"]["labels"][LABEL] == "2"


def test_devices_that_are_known_before_their_node_stay(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.settle()
    known = cluster.world.nodes.get(("", "a"))
    assert known is not None
    cluster.world.nodes.remove(("", "a"))
    cluster.work(1)
    cluster.world.nodes.put(("", "a"), known)
    assert cluster.work(3600) == []
    assert f"{DEVICES}/a-0" in cluster.api.objects


def test_a_node_that_is_made_anew_is_written_anew(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.settle()
    cluster.put("nodes", {**a_node(), "metadata": {**a_node()["metadata"], "uid": "another"}})
    cluster.settle()
    assert cluster.device("a-0")["metadata"]["ownerReferences"][0]["uid"] == "another"
    assert cluster.node("a")["metadata"]["labels"][LABEL] == "1"


def test_device_objects_of_somebody_else_are_believed_and_not_written(cluster: Cluster) -> None:
    spec = {"nodeName": "a", "deviceID": "GPU-7", "properties": {"vendor": "NVIDIA", "model": "Tesla P4"}}
    theirs = {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": "a-gpu-7"},
        "spec": spec,
        "status": {"phase": "Available"},
    }
    cluster.put("devices", theirs)
    cluster.put("nodes", a_node())
    writes = cluster.settle()
    assert not [write for write in writes if write.startswith((f"POST {DEVICES}", "DELETE"))]
    assert cluster.node("a")["metadata"]["labels"]["class.resourceclass.io/nvidia.tesla.p4"] == "1"
    assert cluster.device("a-gpu-7")["spec"] == spec


def test_what_fails_half_way_is_finished_by_the_next_attempt(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    cluster.api.refused["PATCH /api/v1/nodes"] = 409
    with pytest.raises(ApiError):
        cluster.nodes("a")
    cluster.api.refused.clear()
    cluster.nodes("a")
    assert cluster.api.writes.count(f"POST {DEVICES}") == 2
    assert cluster.node("a")["metadata"]["labels"][LABEL] == "2"


def test_a_device_that_is_known_and_not_there_is_forgotten_and_made_again(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    cluster.settle()
    cluster.watch()
    del cluster.api.objects[f"{OURS}/extendedresources/a-0"]
    cluster.put("pods", bound(k80_pod("p"), "a", "0"))
    with pytest.raises(ApiError):
        cluster.nodes("a")
    cluster.nodes("a")
    assert cluster.device("a-0")["status"]["phase"] == "Bound"


def test_two_pods_on_a_device_are_counted_and_told(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.settle()
    for name in ("one", "two"):
        cluster.put("pods", held_by(name))
    cluster.settle()
    assert cluster.counts.doubles == 1
    assert ("a-0", "DeviceHeldTwice") in cluster.api.told
    assert not [write for write in cluster.api.writes if "eviction" in write]
    cluster.drop("pods", "two", "team-a")
    cluster.settle()
    assert cluster.counts.doubles == 0


def scheduled(name: str, second: int, **metadata: str) -> Json:
    pod = held_by(name)
    condition = {"type": "PodScheduled", "lastTransitionTime": f"2026-01-01T00:00:{second:02}Z"}
    return {**pod, "metadata": {**pod["metadata"], **metadata}, "status": {"conditions": [condition]}}


def evictions(cluster: Cluster) -> list[str]:
    return [write.split("/")[-2] for write in cluster.api.writes if write.endswith("/eviction")]


def test_where_that_is_asked_for_the_pod_that_was_bound_last_is_evicted() -> None:
    cluster = Cluster("evict-newest")
    cluster.put("nodes", a_node())
    cluster.settle()
    for name, second in (("early", 1), ("late", 30), ("middle", 20)):
        cluster.put("pods", scheduled(name, second))
    cluster.work()
    assert set(evictions(cluster)) == {"late"}


def test_nobody_else_is_evicted_while_one_is_on_its_way() -> None:
    cluster = Cluster("evict-newest")
    cluster.put("nodes", a_node())
    cluster.settle()
    cluster.put("pods", scheduled("early", 1))
    cluster.put("pods", scheduled("late", 30, deletionTimestamp="2026-01-01T00:01:00Z"))
    cluster.work()
    assert evictions(cluster) == []
