"""Manifests as people write them, and every way to get them wrong."""

from __future__ import annotations

import json

import pytest

from webhook.cluster.documents import load_documents
from webhook.cluster.yaml_json import MAX_DEPTH
from webhook.core.errors import BadInput

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"


def fields(text: str) -> dict[str, object]:
    """Read a pod with more lines and return what these lines say."""
    (document,) = load_documents(POD + text, "f.yaml")
    return {
        key: value for key, value in document.obj.items() if key not in ("apiVersion", "kind", "metadata")
    }


def refused(text: str | bytes) -> str:
    with pytest.raises(BadInput) as caught:
        load_documents(text, "f.yaml")
    return str(caught.value)


def test_every_document_of_a_stream_knows_its_line() -> None:
    found = load_documents(f"# first\n{POD}---\n\n{POD}", "f.yaml")
    assert [document.place for document in found] == ["f.yaml:2", "f.yaml:7"]


@pytest.mark.parametrize("text", ["", "---\n---\n", "# nothing\n", "null"])
def test_empty_documents_are_nothing(text: str) -> None:
    assert load_documents(text, "f.yaml") == []


def test_a_list_yields_its_items_with_their_lines() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n- "
        + POD.replace("\n", "\n  ")
    )
    assert [(d.obj["metadata"]["name"], d.line) for d in load_documents(text, "f.yaml")] == [
        ("a", 4),
        ("a", 7),
    ]


def test_the_items_of_a_typed_list_get_their_kind() -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]})
    (document,) = load_documents(text, "f.json")
    assert (document.obj["apiVersion"], document.obj["kind"]) == ("v1", "Pod")


def test_a_list_of_nothing_is_nothing() -> None:
    assert load_documents("{apiVersion: v1, kind: List, items: null}", "f.yaml") == []


def test_dates_stay_text() -> None:
    assert fields("at: 2026-01-31\n") == {"at": "2026-01-31"}


def test_quoted_words_stay_text() -> None:
    assert fields("a: 'yes'\nb: \"1\"\nc: !!str 1\nd: |\n  on\n") == {
        "a": "yes",
        "b": "1",
        "c": "1",
        "d": "on\n",
    }


def test_keys_become_text() -> None:
    assert fields("labels: {1: a, true: b}\n") == {"labels": {"1": "a", "true": "b"}}


def test_an_alias_is_a_copy_of_its_own() -> None:
    both = fields("a: &x {k: []}\nb: *x\n")
    both["a"]["k"].append(1)  # type: ignore[index]
    assert both["b"] == {"k": []}


def test_merged_keys_give_way_to_own_ones() -> None:
    assert fields("a: &x {k: 1, l: 2}\nb:\n  k: 9\n  <<: *x\n")["b"] == {"k": 9, "l": 2}


def test_of_several_merged_mappings_the_first_wins() -> None:
    assert fields("a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc:\n  <<: [*x, *y]\n")["c"] == {"k": 1, "l": 3}


def test_json_with_tabs_and_surrogate_pairs_is_read() -> None:
    head = '{\n\t"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}'
    text = head + ', "x": "\\ud83d\\ude00 \\\\ud83d \\/"}'
    assert load_documents(text, "f.json")[0].obj["x"] == "\N{GRINNING FACE} \\ud83d /"


def test_a_byte_order_mark_is_passed_over() -> None:
    assert len(load_documents(b"\xef\xbb\xbf" + POD.encode(), "f.yaml")) == 1


def test_a_key_given_twice_is_refused_with_both_lines() -> None:
    text = POD + "spec:\n  nodeName: a\n  hostNetwork: true\n  nodeName: b\n"
    assert refused(text) == "f.yaml:7: the key 'nodeName' is given twice, first in line 5"


def test_a_key_given_twice_in_json_is_refused_with_its_line() -> None:
    assert refused('{"apiVersion": "v1",\n "kind": "Pod",\n "kind": "Pod"}').startswith(
        "f.yaml:3: the key 'kind'"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: [1\nb: 2", "f.yaml:2: not readable as YAML: "),
        ("a: b\n\tc: d", "f.yaml:2: not readable as YAML: "),
        ("a: \x07", "f.yaml: not readable as YAML: "),
        ("a: \ud800", "f.yaml: not readable as YAML: "),
        ("a: *nowhere", "f.yaml:1: not readable as YAML: "),
        (b"a: b\nc: \xff", "f.yaml:2: not UTF-8 text"),
        ("just words", "f.yaml:1: not a Kubernetes object"),
        ("[1, 2]", "f.yaml:1: not a Kubernetes object"),
        ("kind: Pod", "f.yaml:1: apiVersion is missing"),
        ("apiVersion: v1\nkind: 7", "f.yaml:1: kind is missing or not text"),
        ("apiVersion: v1\nkind: Pod", "f.yaml:1: Pod without metadata"),
        ("apiVersion: v1\nkind: Pod\nmetadata: x", "f.yaml:1: Pod without metadata"),
        ("apiVersion: v1\nkind: List\nitems: 7", "f.yaml:1: items of a List must be a list"),
        ("apiVersion: v1\nkind: List\nitems:\n- 7", "f.yaml:4: not a Kubernetes object"),
        (
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod}",
            "f.yaml:4: Pod without metadata",
        ),
        ("a: .inf", "f.yaml:1: .inf cannot be written in JSON"),
        ("a: !!int x", "f.yaml:1: 'x' cannot be read with the tag"),
        ("a: !!binary aGk=", "f.yaml:1: 'aGk=' cannot be read with the tag"),
        ("~: a", "f.yaml:1: a key cannot be null"),
        ("? [a]\n: b", "f.yaml:1: a list or mapping cannot be a key"),
        ("a: &x [*x]", "f.yaml:1: an anchor that contains itself"),
        ("a: {<<: 7}", "f.yaml:1: `<<` needs a mapping"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), f"f.yaml:1: nested more than {MAX_DEPTH} deep"),
        ("[" * 100_000, "f.yaml:1: not readable as YAML: exceeded maximum nesting depth"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str | bytes, words: str) -> None:
    assert refused(text).startswith(words)


def test_aliases_cannot_fill_the_memory() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 8)
    )
    assert "aliases stand for more than 100000 values" in refused(bomb)
