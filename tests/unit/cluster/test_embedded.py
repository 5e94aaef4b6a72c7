"""The embedded API server: what the contract of all API servers says nothing of, its folder above all."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.unit.cluster.manifests import CLASS, K80, QUOTA, Folder, pod
from tests.unit.cluster.scripted import Clock
from webhook.cluster.api import STRATEGIC, ApiError
from webhook.cluster.embedded.api import EmbeddedApi
from webhook.cluster.embedded.source import BOOKMARK_SECONDS
from webhook.cluster.embedded.state import REMEMBERED
from webhook.cluster.folder import LOOK_SECONDS, FolderCluster

Json = dict[str, Any]

NODES, PODS = "/api/v1/nodes", "/api/v1/namespaces/team-a/pods"
QUOTAS = "/api/v1/namespaces/team-a/resourcequotas"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {tier: gold}}\n"
BINDING = {"metadata": {"annotations": {"record": "1"}}, "target": {"name": "a"}}


class Opened:
    """A watch whose events are asked for one by one."""

    def __init__(self, api: EmbeddedApi, path: str, seconds: float = 1000.0) -> None:
        version = api.get(path)["metadata"]["resourceVersion"]
        query = {"resourceVersion": version, "timeoutSeconds": seconds, "watch": "true"}
        self.source = api.watch(path, query, 10.0)
        self._events = iter(self.source)

    def next(self) -> Json:
        return next(self._events)

    def is_over(self) -> bool:
        return next(self._events, None) is None


def names(api: EmbeddedApi, path: str) -> list[str]:
    return [obj["metadata"]["name"] for obj in api.get(path)["items"]]


def test_what_the_folder_holds_is_listed_as_it_would_be_stored(folder: Folder) -> None:
    api = EmbeddedApi(folder(a_yaml=CLASS, b_yaml=QUOTA, c_json=json.dumps(pod("train", 2))))
    (found,) = api.get("/api/v1/pods")["items"]
    resources = found["spec"]["containers"][0]["resources"]
    assert resources["limits"] == {"resourceclass.io/nvidia.tesla.k80": 2}
    assert api.get(f"{QUOTAS}/q")["status"]["used"] == {K80: "2"}


def test_an_object_of_a_file_has_the_same_uid_in_every_process(folder: Folder, tmp_path: Path) -> None:
    first = EmbeddedApi(folder(a_yaml=NODE)).get(f"{NODES}/a")["metadata"]
    second = EmbeddedApi(FolderCluster(tmp_path)).get(f"{NODES}/a")["metadata"]
    assert first["uid"] == second["uid"]


def test_a_uid_and_a_time_of_the_manifest_are_kept(folder: Folder) -> None:
    given = {"uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z"}
    manifest = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "a", "resourceVersion": "7", **given},
    }
    found = EmbeddedApi(folder(a_json=json.dumps(manifest))).get(f"{NODES}/a")["metadata"]
    assert found.items() >= given.items()
    assert found["resourceVersion"] == "1"


def test_a_watch_tells_of_files_that_change(folder: Folder, tmp_path: Path, clock: Clock) -> None:
    api = EmbeddedApi(folder(a_yaml=NODE), clock)
    watch = Opened(api, NODES)
    for text, event in ((NODE.replace("gold", "lead"), "MODIFIED"), ("", "DELETED"), (NODE, "ADDED")):
        (tmp_path / "a.yaml").write_text(text)
        clock.now += LOOK_SECONDS
        told = watch.next()
        assert (told["type"], told["object"]["metadata"]["name"]) == (event, "a")


def test_a_manifest_that_is_edited_counts_without_what_was_written_on_top(
    folder: Folder, tmp_path: Path, clock: Clock
) -> None:
    api = EmbeddedApi(folder(a_yaml=NODE, b_yaml=NODE.replace("name: a", "name: b")), clock)
    for name in "ab":
        api.send("PATCH", f"{NODES}/{name}", {"metadata": {"labels": {"tier": "paper", "own": "1"}}})
    (tmp_path / "a.yaml").write_text(NODE.replace("gold", "lead"))
    clock.now += LOOK_SECONDS
    assert api.get(f"{NODES}/a")["metadata"]["labels"] == {"tier": "lead"}
    assert api.get(f"{NODES}/b")["metadata"]["labels"] == {"tier": "paper", "own": "1"}


def test_what_was_made_in_memory_outlives_a_change_of_files(
    folder: Folder, tmp_path: Path, clock: Clock
) -> None:
    api = EmbeddedApi(folder(a_yaml=NODE), clock)
    api.send("POST", PODS, pod("made"))
    (tmp_path / "a.yaml").write_text(NODE.replace("gold", "lead"))
    clock.now += LOOK_SECONDS
    assert names(api, PODS) == ["made"]


def test_a_use_that_the_folder_gives_does_not_grow_when_one_of_its_pods_is_bound(folder: Folder) -> None:
    given = QUOTA + "status: {used: {nvidia.tesla.k80: 2}}\n"
    api = EmbeddedApi(folder(a_yaml=CLASS, b_yaml=given, c_json=json.dumps(pod("train", 2))))
    api.send("POST", f"{PODS}/train/binding", BINDING)
    assert api.get(f"{QUOTAS}/q")["status"]["used"] == {K80: "2"}


def test_the_computed_status_of_a_quota_is_not_written_with_a_patch(folder: Folder) -> None:
    api = EmbeddedApi(folder(a_yaml=CLASS, b_yaml=QUOTA))
    api.send("POST", PODS, pod("train", 2))
    api.send("PATCH", f"{QUOTAS}/q", {"metadata": {"labels": {"a": "1"}}})
    api.send("POST", PODS, pod("more", 1))
    assert api.get(f"{QUOTAS}/q")["status"]["used"] == {K80: "3"}


def test_a_generated_name_is_made(folder: Folder) -> None:
    api = EmbeddedApi(FolderCluster())
    made = pod()
    made["metadata"] = {"generateName": "train-"}
    assert api.send("POST", PODS, made)["metadata"]["name"] == "train-00001"


def test_a_watch_that_is_too_far_behind_must_list_again() -> None:
    api = EmbeddedApi(FolderCluster())
    made = api.send("POST", PODS, pod("a", labels={}))
    for number in range(REMEMBERED + 1):
        api.send("PATCH", f"{PODS}/a", {"metadata": {"labels": {"n": str(number)}}})
    query = {"resourceVersion": made["metadata"]["resourceVersion"], "timeoutSeconds": 10}
    with pytest.raises(ApiError) as caught:
        list(api.watch(PODS, query, 10.0))
    assert caught.value.status == 410


def test_manifests_with_nonsense_in_them_are_served(folder: Folder) -> None:
    nonsense = {"uid": 5, "creationTimestamp": {}, "generation": "x", "labels": []}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", **nonsense}}
    waiting = pod("train", status={"conditions": ["x", {"type": 1}]})
    made = {
        **json.loads(json.dumps(node)),
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
    }
    listed = {"apiVersion": "v1", "kind": "List", "items": [{**node, "status": {"conditions": "x"}}, made]}
    api = EmbeddedApi(folder(a_json=json.dumps(listed), b_json=json.dumps(waiting)))
    condition = {"type": "Ready", "status": "True"}
    patched = api.send(STRATEGIC, f"{NODES}/a/status", {"status": {"conditions": [condition]}})
    assert patched["status"]["conditions"] == [condition]
    assert patched["metadata"]["uid"] == api.get(f"{NODES}/a")["metadata"]["uid"] != 5
    api.send("POST", f"{PODS}/train/binding", BINDING)
    assert api.get(f"{PODS}/train")["spec"]["nodeName"] == "a"
    (found,) = api.get("/apis/resourceclass.io/v1alpha1/resourceclasses")["items"]
    assert found["metadata"]["generation"] == 1


class Ticking(Clock):
    """Time that goes on by half a bookmark at every look."""

    def __call__(self) -> float:
        self.now += BOOKMARK_SECONDS / 2
        return self.now


def test_a_silent_watch_gives_signs_of_life() -> None:
    api = EmbeddedApi(FolderCluster(), Ticking())
    api.send("POST", PODS, pod("a"))
    watch = Opened(api, NODES)
    told = watch.next()
    assert told["type"] == "BOOKMARK"
    assert told["object"]["metadata"]["resourceVersion"] == "1"


def test_a_watch_ends_at_once_when_it_is_interrupted() -> None:
    watch = Opened(EmbeddedApi(FolderCluster()), NODES)
    ended: list[bool] = []
    reader = Thread(target=lambda: ended.append(watch.is_over()))
    reader.start()
    watch.source.interrupt()
    reader.join(10)
    assert ended == [True]


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api",
        "/apis/apps/v1/deployments",
        "/api/v1/pods/a/b/c",
        "/api/v1/namespaces/x/nodes/a",
        "/version",
    ],
)
def test_an_unknown_path_is_not_found(path: str) -> None:
    with pytest.raises(ApiError, match="serves nothing under") as caught:
        EmbeddedApi(FolderCluster()).get(path)
    assert caught.value.status == 404


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(ApiError, match="serves no POST of /api/v1/nodes/a/proxy") as caught:
        EmbeddedApi(FolderCluster()).send("POST", "/api/v1/nodes/a/proxy", {})
    assert caught.value.status == 405


def test_writers_at_once_lose_no_change() -> None:
    api = EmbeddedApi(FolderCluster())
    api.send("POST", NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}})

    def label(writer: int) -> None:
        for number in range(20):
            api.send("PATCH", f"{NODES}/a", {"metadata": {"labels": {f"{writer}-{number}": "x"}}})

    threads = [Thread(target=label, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = api.get(f"{NODES}/a")["metadata"]
    assert (len(found["labels"]), found["resourceVersion"]) == (80, "81")
