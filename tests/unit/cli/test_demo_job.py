"""The main job of the demo: its scheduler chooses as kube-scheduler would, and it notices what goes wrong."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from webhook.cli.demo import job
from webhook.cli.demo.parts import parts_over, until
from webhook.cli.demo.scheduler import NO_MATCH, Placed, PlayedScheduler
from webhook.cluster.embedded.api import EmbeddedApi
from webhook.cluster.folder import FolderCluster
from webhook.core.errors import ClusterUnavailable

Json = dict[str, Any]
KEY = "resourceclass.io/k80"
PODS = "/api/v1/namespaces/default/pods"


class Binder:
    """Answers as it is told, and remembers what it was asked."""

    def __init__(self, refused: dict[str, str] | None = None, scores: dict[str, int] | None = None) -> None:
        self._refused = refused or {}
        self._scores = scores or {}
        self.asked: list[list[str]] = []
        self.bound: list[Json] = []

    def filter(self, body: bytes) -> tuple[bytes, str]:
        names = orjson.loads(body)["NodeNames"]
        self.asked.append(names)
        passing = [name for name in names if name not in self._refused]
        answer = {"NodeNames": passing, "FailedAndUnresolvableNodes": self._refused, "Error": ""}
        return orjson.dumps(answer), ""

    def prioritize(self, body: bytes) -> tuple[bytes, str]:
        names = orjson.loads(body)["NodeNames"]
        return orjson.dumps([{"Host": name, "Score": self._scores.get(name, 0)} for name in names]), ""

    def bind(self, body: bytes) -> tuple[bytes, str]:
        self.bound.append(orjson.loads(body))
        return b'{"Error":""}', ""


def node(name: str, units: int | None) -> Json:
    labels = {} if units is None else {"class.resourceclass.io/k80": str(units)}
    status = {"allocatable": {} if units is None else {KEY: str(units)}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": status,
    }


def pod(name: str, units: int, on: str = "") -> Json:
    container = {"name": "main", "resources": {"limits": {KEY: units}}}
    spec = {"containers": [container], **({"nodeName": on} if on else {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


@pytest.fixture
def api() -> EmbeddedApi:
    cluster = FolderCluster()
    for obj in (
        node("full", 2),
        node("free", 2),
        node("roomy", 3),
        node("plain", None),
        pod("old", 1, "full"),
    ):
        cluster.create(obj)
    return EmbeddedApi(cluster)


def place(api: EmbeddedApi, binder: Any, units: int, **spec: Any) -> Placed:
    made = pod("new", units)
    made["spec"] |= spec
    return PlayedScheduler(api, binder).place(api.send("POST", PODS, made))


def test_only_nodes_with_room_are_shown_to_the_binder(api: EmbeddedApi) -> None:
    binder = Binder()
    placed = place(api, binder, 2)
    assert binder.asked == [["free", "roomy"]]
    assert placed.refused == {"full": f"Insufficient {KEY}", "plain": NO_MATCH}


def test_the_node_that_the_binder_scores_best_is_bound(api: EmbeddedApi) -> None:
    binder = Binder(scores={"free": 3, "roomy": 10})
    assert place(api, binder, 1).node == "roomy"
    (asked,) = binder.bound
    uid = api.get(f"{PODS}/new")["metadata"]["uid"]
    assert asked == {"PodNamespace": "default", "PodName": "new", "PodUID": uid, "Node": "roomy"}


def test_a_pod_that_fits_nowhere_waits_and_says_why_as_kube_scheduler_does(api: EmbeddedApi) -> None:
    binder = Binder()
    placed = place(api, binder, 9)
    assert (placed.node, binder.asked, binder.bound) == ("", [], [])
    reasons = f"3 Insufficient {KEY}, 1 {NO_MATCH}"
    assert placed.message == f"0/4 nodes are available: {reasons}."


def test_a_pod_that_the_binder_can_serve_nowhere_waits(api: EmbeddedApi) -> None:
    binder = Binder(refused={"free": "too small", "roomy": "too small"})
    placed = place(api, binder, 2)
    assert (placed.node, binder.bound) == ("", [])
    assert "2 too small" in placed.message


def test_a_node_selector_of_the_user_holds(api: EmbeddedApi) -> None:
    assert place(api, Binder(), 1, nodeSelector={"tier": "gold"}).node == ""


def test_a_container_sees_values_and_what_stands_in_annotations() -> None:
    field = {"valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['devices/main']"}}}
    container = {"env": [{"name": "A", **field}, {"name": "B", "value": "void"}]}
    found = {"metadata": {"annotations": {"devices/main": "GPU-0"}}}
    assert job.environment(found, container) == {"A": "GPU-0", "B": "void"}
    assert job.environment({}, container) == {"A": "", "B": "void"}


def test_the_binder_of_the_demo_answers_after_it_has_waited_for_one_before_it() -> None:
    with parts_over(EmbeddedApi(FolderCluster())) as parts:
        assert not parts.may_decide()
        parts.verbs()
        assert parts.may_decide()


def test_what_does_not_come_is_said() -> None:
    times = iter((0.0, 100.0))
    with pytest.raises(ClusterUnavailable, match="the binder did not begin within 20 s"):
        until(lambda: False, "the binder did not begin", clock=lambda: next(times))
