"""The envelopes of a scheduler's extender: Go's names in, Go's names out."""

from __future__ import annotations

import json

import pytest

from webhook.core.errors import BadReview
from webhook.wire.extender import (
    BindQuestion,
    PodQuestion,
    PreemptQuestion,
    Victims,
    error_answer,
    filter_answer,
    preempt_answer,
    prioritize_answer,
    read_bind_question,
    read_pod_question,
    read_preempt_question,
)

POD = {"metadata": {"name": "p", "creationTimestamp": None}, "spec": {"containers": None}}


def body(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def test_reads_a_pod_and_the_names_of_nodes():
    asked = read_pod_question(body(Pod=POD, Nodes=None, NodeNames=["a", "b"]))
    assert asked == PodQuestion(POD, ("a", "b"))


def test_asks_for_names_where_whole_nodes_are_sent():
    with pytest.raises(BadReview, match="set nodeCacheCapable: true"):
        read_pod_question(body(Pod=POD, Nodes={"items": []}, NodeNames=None))


def test_reads_victims_by_uid():
    meta = {"a": {"Pods": [{"UID": "u1"}, {"UID": "u2"}], "NumPDBViolations": 1}, "b": {"Pods": None}}
    asked = read_preempt_question(body(Pod=POD, NodeNameToVictims=None, NodeNameToMetaVictims=meta))
    assert asked == PreemptQuestion(POD, {"a": Victims(("u1", "u2"), 1), "b": Victims(())})


def test_reads_victims_as_pods():
    whole = {"a": {"Pods": [{"metadata": {"uid": "u1"}}, {}, None], "NumPDBViolations": "many"}}
    asked = read_preempt_question(body(Pod=POD, NodeNameToVictims=whole, NodeNameToMetaVictims=None))
    assert asked.proposals == {"a": Victims(("u1",), 0)}


def test_reads_what_to_bind():
    asked = read_bind_question(body(PodName="p", PodNamespace="n", PodUID="u", Node="a"))
    assert asked == BindQuestion("n", "p", "u", "a")


@pytest.mark.parametrize("name", ["PodNamespace", "PodName", "PodUID", "Node"])
@pytest.mark.parametrize("value", [None, "", 7])
def test_names_what_a_bind_lacks(name, value):
    fields = {"PodName": "p", "PodNamespace": "n", "PodUID": "u", "Node": "a", name: value}
    with pytest.raises(BadReview, match=f"{name} must be a text"):
        read_bind_question(body(**fields))


@pytest.mark.parametrize("read", [read_pod_question, read_preempt_question, read_bind_question])
@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b'"x"'])
def test_what_is_no_object_is_refused(read, raw):
    with pytest.raises(BadReview, match="the body"):
        read(raw)


def test_a_pod_must_be_an_object():
    with pytest.raises(BadReview, match="Pod must be an object"):
        read_pod_question(body(Pod=None, NodeNames=[]))


def test_refused_nodes_are_beyond_the_help_of_preemption():
    assert json.loads(filter_answer(["a"], {"b": "why"})) == {
        "NodeNames": ["a"],
        "FailedAndUnresolvableNodes": {"b": "why"},
        "Error": "",
    }


def test_scores_are_a_list_of_hosts():
    assert json.loads(prioritize_answer({"a": 3})) == [{"Host": "a", "Score": 3}]


def test_victims_are_named_by_uid():
    assert json.loads(preempt_answer({"a": Victims(("u1",), 2)})) == {
        "NodeNameToMetaVictims": {"a": {"Pods": [{"UID": "u1"}], "NumPDBViolations": 2}}
    }


def test_an_error_is_a_text():
    assert json.loads(error_answer("no")) == {"Error": "no"}
