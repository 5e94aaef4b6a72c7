"""The four verbs over HTTP, as kube-scheduler posts them and reads the answers."""

from __future__ import annotations

import pytest

from tests.unit.binder.worlds import World, container, device, k80_pod, one_node, pod
from webhook.binder.app import Verbs, create_app
from webhook.binder.report import MeteredReport
from webhook.serve.metrics import ExtenderMetrics


class Notes:
    def __init__(self):
        self.answers = []
        self.faults = []

    def answered(self, verb, result, seconds):
        self.answers.append((verb, result))

    def broke(self, verb, error):
        self.faults.append(error)


class Extender:
    """A binder over HTTP."""

    def __init__(self, world: World):
        self.world = world
        self.missing: list[str] = []
        self.notes = Notes()
        app = create_app(
            Verbs(world.books, world.binder),
            world.gate,
            lambda: self.missing,
            self.notes,
            max_body_bytes=100_000,
        )
        self.client = app.test_client()

    def post(self, verb, body):
        return self.client.post(f"/{verb}", json=body)

    def filter(self, obj, *nodes):
        return self.post("filter", {"Pod": obj, "Nodes": None, "NodeNames": list(nodes)}).get_json()

    def bind(self, obj, node="node-a"):
        metadata = obj["metadata"]
        names = {
            "PodName": metadata["name"],
            "PodNamespace": metadata["namespace"],
            "PodUID": metadata["uid"],
        }
        return self.post("bind", {**names, "Node": node})


@pytest.fixture
def extender():
    return Extender(one_node())


def test_filter_answers_with_names_and_reasons(extender):
    answer = extender.filter(k80_pod("p"), "node-a", "node-b")
    assert answer == {
        "NodeNames": ["node-a"],
        "FailedAndUnresolvableNodes": {"node-b": "k80 needs 1 device: no device of the class"},
        "Error": "",
    }


def test_prioritize_answers_with_a_score_per_node(extender):
    (item,) = extender.post("prioritize", {"Pod": k80_pod("p"), "NodeNames": ["node-a"]}).get_json()
    assert item["Host"] == "node-a"
    assert 0 <= item["Score"] <= 10


def test_bind_answers_with_no_error(extender):
    extender.world.create(p := k80_pod("p"))
    assert extender.bind(p).get_json() == {"Error": ""}
    assert extender.notes.answers == [("bind", "bound")]


def test_a_bind_that_fails_is_answered_with_its_text(extender):
    answer = extender.bind(k80_pod("p"))
    assert answer.status_code == 200
    assert "there is no unfinished pod team-a/p" in answer.get_json()["Error"]
    assert extender.notes.answers == [("bind", "gone")]


def test_preempt_answers_with_uids():
    world = World().nodes(**{"node-a": [device("node-a", "GPU-0")]})
    world.create(low := k80_pod("low"))
    world.bind(low, "node-a")
    world.watch()
    args = {
        "Pod": k80_pod("high", priority=10),
        "NodeNameToVictims": None,
        "NodeNameToMetaVictims": {"node-a": {"Pods": [{"UID": "uid-low"}], "NumPDBViolations": 1}},
    }
    assert Extender(world).post("preempt", args).get_json() == {
        "NodeNameToMetaVictims": {"node-a": {"Pods": [{"UID": "uid-low"}], "NumPDBViolations": 1}}
    }


@pytest.mark.parametrize("verb", ["filter", "bind"])
def test_what_is_not_synced_is_an_error_and_never_all_free(extender, verb):
    extender.missing = ["Pod: not listed yet"]
    body = {"Pod": k80_pod("p"), "NodeNames": ["node-a"]}
    answer = extender.post(verb, body)
    assert (answer.status_code, answer.get_json().keys()) == (200, {"Error"})
    assert "Pod: not listed yet" in answer.get_json()["Error"]


@pytest.mark.parametrize("verb", ["prioritize", "preempt"])
def test_verbs_without_room_for_an_error_answer_503(extender, verb):
    extender.world.gate.closed = "the lease is held by another"
    answer = extender.post(verb, {"Pod": k80_pod("p"), "NodeNames": ["node-a"]})
    assert (answer.status_code, answer.text) == (503, "the lease is held by another\n")


@pytest.mark.parametrize("verb", ["filter", "bind"])
def test_who_does_not_hold_the_lease_answers_with_an_error(extender, verb):
    extender.world.gate.closed = "the lease is held by another"
    answer = extender.post(verb, {"Pod": k80_pod("p"), "NodeNames": ["node-a"]})
    assert "the lease is held by another" in answer.get_json()["Error"]


@pytest.mark.parametrize(
    ("verb", "body", "message"),
    [
        ("filter", b"{", "not JSON"),
        ("filter", b"[]", "must be a JSON object"),
        ("filter", b'{"NodeNames": []}', "Pod must be an object"),
        ("filter", b'{"Pod": {}}', "nodeCacheCapable"),
        ("preempt", b"{}", "Pod must be an object"),
        ("bind", b'{"PodName": "p", "PodNamespace": "n", "Node": "a"}', "PodUID must be a text"),
    ],
)
def test_what_cannot_be_read_is_a_400_with_the_reason(extender, verb, body, message):
    answer = extender.client.post(f"/{verb}", data=body)
    assert answer.status_code == 400
    assert message in answer.text


def test_a_body_that_is_too_large_is_refused(extender):
    assert extender.client.post("/filter", data=b"x" * 100_001).status_code == 413


def test_a_fault_of_ours_is_answered_and_reported(extender):
    extender.world.books.books = None
    answer = extender.filter(k80_pod("p"), "node-a")
    assert "its log says why" in answer["Error"]
    assert [type(error) for error in extender.notes.faults] == [AttributeError]


def test_other_paths_and_methods_get_one_line(extender):
    assert extender.client.get("/filter").status_code == 405
    assert extender.client.post("/other", data=b"{}").status_code == 404


def test_pods_of_kube_scheduler_without_class_pass_everywhere(extender):
    plain = pod("plain", container("c"))
    assert extender.filter(plain, "node-a", "node-x")["NodeNames"] == ["node-a", "node-x"]


def test_every_answer_is_counted_and_binds_by_what_came_of_them():
    metrics = ExtenderMetrics()
    report = MeteredReport(metrics)
    report.answered("filter", "passed", 0.001)
    report.answered("bind", "bound", 0.002)
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for metric in (metrics.requests, metrics.binds)
        for family in metric.collect()
        for sample in family.samples
        if sample.name.endswith("_total")
    }
    assert samples == {
        ("resourceclass_extender_requests_total", "filter", "passed"): 1,
        ("resourceclass_extender_requests_total", "bind", "bound"): 1,
        ("resourceclass_binds_total", "bound"): 1,
    }


def test_a_fault_is_logged_with_its_verb_and_traceback(caplog):
    MeteredReport(ExtenderMetrics()).broke("filter", RuntimeError("a bug"))
    (record,) = caplog.records
    assert (record.fields, record.exc_info[0]) == ({"verb": "filter"}, RuntimeError)
