"""A folder cluster plays the API server: quotas are charged, and what is written stays in memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.unit.cluster.manifests import CLASS, K80, QUOTA, Folder, pod
from tests.unit.cluster.scripted import Clock
from webhook.cluster.folder import LOOK_SECONDS, AlreadyExists, FolderCluster, NotFound
from webhook.core.errors import BadInput


def used(cluster: FolderCluster) -> dict[str, str]:
    (quota,) = cluster.quotas("team-a")
    return quota["status"]["used"]


def test_a_bare_name_in_a_quota_is_what_the_webhook_would_store(folder: Folder) -> None:
    (quota,) = folder(a_yaml=CLASS, b_yaml=QUOTA).quotas("team-a")
    assert (quota["spec"]["hard"], quota["status"]) == ({K80: 5}, {"hard": {K80: 5}, "used": {K80: "0"}})


def test_a_bare_name_of_no_class_stays_as_it_is(folder: Folder) -> None:
    (quota,) = folder(b_yaml=QUOTA).quotas("team-a")
    assert quota["spec"]["hard"] == {"nvidia.tesla.k80": 5}


def test_a_quota_counts_the_pods_of_its_namespace(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS, b_yaml=QUOTA)
    cluster.create(pod("a", 2))
    cluster.create(pod("b", 1))
    cluster.create(pod("c", 4, namespace="team-b"))
    cluster.create(pod("d", 8, status={"phase": "Succeeded"}))
    assert used(cluster) == {K80: "3"}


def test_a_use_that_the_folder_gives_is_the_state_before_anything_is_written(folder: Folder) -> None:
    given = QUOTA + "status: {used: {nvidia.tesla.k80: 3}}\n"
    existing = "apiVersion: v1\nkind: Pod\nmetadata: {name: old, namespace: team-a}\nspec:\n  containers:\n"
    existing += "  - resources: {limits: {nvidia.tesla.k80: 1}}\n"
    cluster = folder(a_yaml=CLASS, b_yaml=given, c_yaml=existing)
    cluster.create(pod("new", 1))
    assert used(cluster) == {K80: "4"}


def test_a_status_that_lags_behind_is_kept(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS, b_yaml=QUOTA + "status: {hard: {nvidia.tesla.k80: 9}}\n")
    (quota,) = cluster.quotas("team-a")
    assert quota["status"]["hard"] == {K80: 9}


def test_usage_names_pods_units_and_namespace(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS)
    cluster.create(pod("a", 2))
    cluster.create(pod("b", 1, namespace="team-b"))
    found = [(usage.namespace, usage.pod, usage.units) for usage in cluster.usage("nvidia.tesla.k80")]
    assert found == [("team-a", "a", 2), ("team-b", "b", 1)]
    assert [usage.pod for usage in cluster.usage("nvidia.tesla.k80", "team-b")] == ["b"]


def test_what_is_written_stays_in_memory(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    cluster = folder(a_yaml=CLASS)
    cluster.create(pod("a"))
    os.utime(tmp_path / "a.yaml", (1, 1))
    clock.now += LOOK_SECONDS
    assert len(cluster.objects()) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


def test_creating_twice_is_refused(folder: Folder) -> None:
    cluster = folder()
    cluster.create(pod("a"))
    with pytest.raises(AlreadyExists, match="Pod team-a/a already exists"):
        cluster.create(pod("a"))


def test_a_name_is_generated() -> None:
    cluster = FolderCluster()
    template = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "train-"}}
    names = [cluster.create(template)["metadata"]["name"] for _ in range(2)]
    assert names == ["train-00001", "train-00002"]


def test_an_object_without_a_name_is_refused() -> None:
    with pytest.raises(BadInput, match=r"Pod without metadata\.name"):
        FolderCluster().create({"apiVersion": "v1", "kind": "Pod", "metadata": {}})


def test_what_was_created_is_not_changed_with_what_was_passed_in() -> None:
    cluster, passed = FolderCluster(), pod("a")
    cluster.create(passed)
    passed["spec"]["nodeName"] = "changed"
    assert cluster.get(pod("a")) == pod("a")


def test_updating_replaces(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS, b_yaml=QUOTA)
    cluster.create(pod("a", 1))
    cluster.update(pod("a", 3))
    assert used(cluster) == {K80: "3"}


def test_deleting_frees(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS, b_yaml=QUOTA)
    cluster.create(pod("a", 3))
    cluster.delete(pod("a"))
    assert (used(cluster), cluster.get(pod("a"))) == ({K80: "0"}, None)


def test_a_manifest_can_be_deleted_from_memory_and_created_again(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS)
    stored = cluster.objects()[0]
    cluster.delete(stored)
    assert cluster.classes().names == ()
    cluster.create(stored)
    assert cluster.classes().names == ("nvidia.tesla.k80",)


@pytest.mark.parametrize("change", [FolderCluster.update, FolderCluster.delete])
def test_what_is_not_there_cannot_be_changed(change: Callable[[FolderCluster, Any], object]) -> None:
    with pytest.raises(NotFound, match="Pod team-a/train not found"):
        change(FolderCluster(), pod())


def test_many_threads_create_each_name_once() -> None:
    cluster, refused = FolderCluster(), []

    def create_all() -> None:
        for number in range(20):
            try:
                cluster.create(pod(f"p{number}"))
            except AlreadyExists:
                refused.append(number)

    threads = [Thread(target=create_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(cluster.objects()), len(refused)) == (20, 60)
