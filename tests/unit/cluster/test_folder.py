"""A folder of manifests as a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.unit.cluster.scripted import Clock
from webhook.cluster.folder import LOOK_SECONDS, AlreadyExists, FolderCluster, NotFound
from webhook.core.errors import BadInput

K80 = "requests.resourceclass.io/nvidia.tesla.k80"
CLASS = """
apiVersion: resourceclass.io/v1alpha1
kind: ResourceClass
metadata: {name: nvidia.tesla.k80}
spec: {selector: {matchLabels: {model: Tesla K80}}}
"""
QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team-a}
spec: {hard: {nvidia.tesla.k80: 5}}
"""


def pod(name: str = "train", units: int = 1, namespace: str = "team-a", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.tesla.k80": units}}}]},
        **more,
    }


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folder(tmp_path: Path, clock: Clock) -> Callable[..., FolderCluster]:
    """Write files by name and return the cluster of them."""

    def written(**files: str) -> FolderCluster:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return FolderCluster(tmp_path, clock)

    return written


Folder = Callable[..., FolderCluster]


def used(cluster: FolderCluster) -> dict[str, str]:
    (quota,) = cluster.quotas("team-a")
    return quota["status"]["used"]


def test_manifests_are_found_in_folders_below(folder: Folder) -> None:
    cluster = folder(
        a_yaml=CLASS, deep__er__b_yml=QUOTA, c_json='{"apiVersion":"v1","kind":"List","items":[]}'
    )
    assert (cluster.classes().names, len(cluster.quotas("team-a"))) == (("nvidia.tesla.k80",), 1)


@pytest.mark.parametrize("name", ["notes_txt", "_hidden_yaml", "_data__a_yaml"])
def test_other_and_hidden_files_are_passed_over(folder: Folder, name: str) -> None:
    assert folder(**{name: ": not yaml : ["}).objects() == []


def test_a_namespace_left_out_is_default(folder: Folder) -> None:
    cluster = folder(a_yaml=QUOTA.replace(", namespace: team-a", ""))
    assert [quota["metadata"]["namespace"] for quota in cluster.quotas("default")] == ["default"]


def test_unknown_kinds_are_kept(folder: Folder) -> None:
    cluster = folder(a_yaml="apiVersion: example.com/v1\nkind: Boat\nmetadata: {name: b, namespace: n}\n")
    assert [obj["kind"] for obj in cluster.objects()] == ["Boat"]


def test_the_same_object_twice_names_both_places(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        folder(a_yaml=QUOTA, b_yaml=CLASS + "---" + QUOTA)
    places = (f"{tmp_path}/b.yaml:7: ResourceQuota team-a/q", f"{tmp_path}/a.yaml:2; keep one of the two")
    assert all(place in str(caught.value) for place in places)


def test_the_same_name_in_another_version_is_the_same_object(folder: Folder) -> None:
    with pytest.raises(BadInput, match="stands already in"):
        folder(a_yaml=CLASS, b_yaml=CLASS.replace("v1alpha1", "v1"))


def test_the_same_name_in_another_group_is_another_object(folder: Folder) -> None:
    cluster = folder(a_yaml=CLASS, b_yaml=CLASS.replace("resourceclass.io/", "example.com/"))
    assert len(cluster.objects()) == 2


def test_all_unreadable_files_are_named_at_once(folder: Folder) -> None:
    with pytest.raises(BadInput, match=r"(?s)a\.yaml:1: .*\n.*b\.yaml:3: Pod without metadata\.name"):
        folder(a_yaml="7", b_yaml="# a\n\napiVersion: v1\nkind: Pod\nmetadata: {generateName: x-}\n")


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="/nowhere: no such folder of manifests"):
        FolderCluster("/nowhere")


def test_without_a_folder_it_begins_empty() -> None:
    assert FolderCluster().objects() == []


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


def test_a_changed_file_is_read_again(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    cluster = folder(a_yaml=CLASS)
    (tmp_path / "a.yaml").write_text(CLASS.replace("k80", "v100"))
    clock.now += LOOK_SECONDS
    assert cluster.classes().names == ("nvidia.tesla.v100",)


def test_a_removed_file_is_forgotten(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    cluster = folder(a_yaml=CLASS)
    (tmp_path / "a.yaml").unlink()
    clock.now += LOOK_SECONDS
    assert cluster.classes().names == ()


def test_the_folder_is_not_looked_at_for_every_question(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    cluster = folder(a_yaml=CLASS)
    (tmp_path / "a.yaml").unlink()
    clock.now += LOOK_SECONDS / 2
    assert cluster.classes().names == ("nvidia.tesla.k80",)


def test_a_folder_that_breaks_stays_as_it_was_and_says_so_once(
    folder: Folder, tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = folder(a_yaml=CLASS)
    (tmp_path / "b.yaml").write_text("a: [")
    for _ in range(3):
        clock.now += LOOK_SECONDS
        assert cluster.classes().names == ("nvidia.tesla.k80",)
    assert len(caplog.messages) == 1
    assert "b.yaml:1: not readable as YAML" in caplog.text


def test_a_folder_that_is_mended_is_read_again(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    cluster = folder(a_yaml=CLASS)
    (tmp_path / "b.yaml").write_text("a: [")
    clock.now += LOOK_SECONDS
    cluster.classes()
    (tmp_path / "b.yaml").write_text(QUOTA)
    clock.now += LOOK_SECONDS
    assert len(cluster.quotas("team-a")) == 1


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
