"""A folder of manifests as a cluster: which files count, what is wrong with them, and how they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cluster.manifests import CLASS, QUOTA, Folder
from tests.unit.cluster.scripted import Clock
from webhook.cluster.files import MAX_FILE_BYTES
from webhook.cluster.folder import LOOK_SECONDS, FolderCluster
from webhook.core.errors import BadInput


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


@pytest.mark.parametrize("bare", ["n", "off", "12"])
def test_a_name_that_yaml_takes_for_something_else_is_told_to_be_quoted(folder: Folder, bare: str) -> None:
    with pytest.raises(BadInput, match=r"a\.yaml:1: Pod: metadata\.name is not a text; quote it"):
        folder(a_yaml=f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {bare}}}\n")


def test_a_folder_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="/nowhere: no such folder of manifests"):
        FolderCluster("/nowhere")


def test_a_link_to_nothing_is_passed_over(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("nowhere.yaml")
    assert folder().objects() == []


def test_a_folder_of_that_name_is_no_manifest(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    assert folder().objects() == []


def test_a_file_that_is_too_large_is_named(folder: Folder, tmp_path: Path) -> None:
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(BadInput, match=r"a\.yaml: .* bytes; .*: split the file"):
        folder()


def test_without_a_folder_it_begins_empty() -> None:
    assert FolderCluster().objects() == []


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
