"""Classes and default quotas: made where they are missing, and never changed where a person made them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.controller.worlds import OURS, Cluster, a_node
from webhook.cluster.api import ApiError

Json = dict[str, Any]
K80 = "nvidia.tesla.k80"
CLASSES = f"{OURS}/resourceclasses"
QUOTAS = "/api/v1/namespaces/team-a/resourcequotas"
DEFAULTS = f"{QUOTAS}/resourceclass-defaults"
KEY = f"requests.resourceclass.io/{K80}"


def a_class(name: str = K80, **spec: Any) -> Json:
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": name, "generation": 1},
        "spec": {"selector": {"matchLabels": {"model": "Tesla K80"}}, **spec},
    }


def namespace(name: str = "team-a") -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {}}}


def quota(name: str, **hard: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": "team-a"},
        "spec": {"hard": hard},
    }


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_a_class_that_somebody_deletes_is_made_again(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.settle()
    cluster.watch().settle()
    cluster.drop("classes", K80)
    assert f"POST {CLASSES}" in cluster.settle()


def test_a_class_that_is_deleted_before_the_answer_to_a_write_is_made_again(cluster: Cluster) -> None:
    cluster.put("nodes", a_node())
    cluster.api.meanwhile[f"PATCH {CLASSES}/{K80}/status"] = lambda: cluster.drop("classes", K80)
    assert [*cluster.settle(), *cluster.settle()].count(f"POST {CLASSES}") == 2
    assert f"{CLASSES}/{K80}" in cluster.api.objects


def test_a_spec_that_changes_just_before_its_status_is_written_is_not_missed(cluster: Cluster) -> None:
    seen = cluster.put("classes", a_class())
    other = {**seen, "spec": {"selector": {"matchLabels": {"model": "Tesla P4"}}}}
    cluster.api.put(f"{CLASSES}/{K80}", other)  # the watch does not know it yet
    cluster.put("nodes", a_node())
    cluster.settle()
    cluster.watch().settle()
    assert cluster.a_class(K80)["status"]["devices"] == 0


def test_a_class_of_a_person_is_used_and_not_changed(cluster: Cluster) -> None:
    theirs = cluster.put("classes", a_class(placement="Spread"))
    cluster.put("nodes", a_node())
    writes = cluster.settle()
    assert f"POST {CLASSES}" not in writes
    assert cluster.a_class(K80)["spec"] == theirs["spec"]
    assert cluster.node("a")["metadata"]["labels"][f"class.resourceclass.io/{K80}"] == "1"


def test_a_model_that_labels_have_changed_to_gets_its_class(cluster: Cluster) -> None:
    node = cluster.put("nodes", a_node())
    cluster.settle()
    cluster.watch()
    node["metadata"]["labels"]["aliyun.accelerator/nvidia_name"] = "Tesla-P4"
    cluster.put("nodes", node)
    cluster.work()
    cluster.work(400)
    assert cluster.device("a-0")["spec"]["properties"]["model"] == "Tesla-P4"
    assert cluster.node("a")["metadata"]["labels"]["class.resourceclass.io/nvidia.tesla.p4"] == "1"


def test_a_class_that_is_refused_keeps_no_device_and_no_other_class_away(cluster: Cluster) -> None:
    cluster.put("nodes", a_node(count=2))
    p4 = a_node("b")
    p4["metadata"]["labels"]["aliyun.accelerator/nvidia_name"] = "Tesla-P4"
    cluster.put("nodes", p4)
    cluster.api.refused[f"POST {CLASSES}"] = 403
    cluster.work()
    assert cluster.device("a-1")["status"]["phase"] == "Available"
    cluster.watch()
    del cluster.api.refused[f"POST {CLASSES}"]
    cluster.api.refuse_name = K80
    with pytest.raises(ApiError):
        cluster.work(2)
    assert cluster.a_class("nvidia.tesla.p4")
    cluster.api.refuse_name = ""
    cluster.makers("")
    assert cluster.a_class(K80)


def test_a_class_that_is_refused_is_not_tried_again_for_each_node(cluster: Cluster) -> None:
    cluster.api.refuse_name = K80
    for name in ("a", "b", "c"):
        cluster.put("nodes", a_node(name))
        cluster.nodes(name)
    assert cluster.api.writes.count(f"POST {CLASSES}") == 1
    cluster.api.refuse_name = ""
    assert f"POST {CLASSES}" in cluster.settle()


def test_a_class_that_a_namespace_adopts_for_is_counted_by_the_plugin_on_its_nodes(cluster: Cluster) -> None:
    gpus = {"nvidia.com/gpu": "1"}
    cluster.put("nodes", a_node(capacity=gpus, allocatable=gpus))
    cluster.settle()
    assert f"class.resourceclass.io/{K80}" not in cluster.node("a")["metadata"]["labels"]
    adopting = namespace()
    adopting["metadata"]["labels"] = {"resourceclass.io/adopt": K80}
    cluster.put("namespaces", adopting)
    assert cluster.settle().count(f"PATCH {CLASSES}/{K80}") == 1
    assert cluster.a_class(K80)["spec"]["pod"] == {"vendorResource": "nvidia.com/gpu"}
    assert cluster.node("a")["metadata"]["labels"][f"class.resourceclass.io/{K80}"] == "1"
    assert cluster.watch().settle() == []


def test_a_class_of_a_person_that_a_namespace_adopts_for_is_not_changed(cluster: Cluster) -> None:
    theirs = cluster.put("classes", a_class())
    adopting = namespace()
    adopting["metadata"]["labels"] = {"resourceclass.io/adopt": K80}
    cluster.put("namespaces", adopting)
    cluster.settle()
    assert cluster.a_class(K80)["spec"] == theirs["spec"]


def test_a_class_that_matches_nothing_says_so(cluster: Cluster) -> None:
    cluster.put("classes", a_class("lonely"))
    cluster.settle()
    (ready,) = [c for c in cluster.a_class("lonely")["status"]["conditions"] if c["type"] == "Ready"]
    assert (ready["status"], ready["reason"]) == ("False", "NoDevice")


@pytest.mark.parametrize(("remove_unused", "stays"), [(False, True), (True, False)])
def test_a_class_without_devices_goes_only_where_that_is_asked_for(remove_unused: bool, stays: bool) -> None:
    cluster = Cluster(remove_unused=remove_unused)
    cluster.put("nodes", a_node())
    cluster.settle()
    cluster.drop("nodes", "a")
    cluster.work(60)
    cluster.work(60)
    cluster.watch().settle()
    cluster.makers("")
    assert (f"{CLASSES}/{K80}" in cluster.api.objects) is stays


def test_statuses_are_written_once_for_a_crowd_of_changes(cluster: Cluster) -> None:
    for number in range(20):
        cluster.put("nodes", a_node(f"n{number}"))
    writes = cluster.settle()
    assert writes.count(f"PATCH {CLASSES}/{K80}/status") == 1
    assert cluster.a_class(K80)["status"]["nodes"] == 20


def test_a_default_is_kept_as_a_quota_of_ours(cluster: Cluster) -> None:
    cluster.put("classes", a_class(quota={"default": 2}))
    cluster.put("namespaces", namespace())
    cluster.settle()
    made = cluster.api.objects[DEFAULTS]
    assert made["spec"]["hard"] == {KEY: "2"}
    assert made["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "resourceclass"
    assert cluster.watch().settle() == []


def test_a_quota_of_a_person_that_names_the_class_ends_the_default(cluster: Cluster) -> None:
    cluster.put("classes", a_class(quota={"default": 2}))
    cluster.put("namespaces", namespace())
    cluster.settle()
    cluster.watch().settle()
    cluster.put("quotas", quota("theirs", **{KEY: "7"}))
    assert cluster.settle() == [f"DELETE {DEFAULTS}"]
    cluster.watch().settle()
    cluster.drop("quotas", "theirs", "team-a")
    assert f"POST {QUOTAS}" in cluster.settle()


def test_a_quota_of_a_person_under_our_name_is_left_and_told(cluster: Cluster) -> None:
    theirs = cluster.put("quotas", quota("resourceclass-defaults", pods="3"))
    cluster.put("classes", a_class(quota={"default": 2}))
    cluster.put("namespaces", namespace())
    cluster.settle()
    assert cluster.api.objects[DEFAULTS]["spec"] == theirs["spec"]
    assert ("resourceclass-defaults", "DefaultQuotaNotOurs") in cluster.api.told
