"""Manifests of any content: read as they were written, or refused in words; never stumbled on."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from webhook.cluster.charge import cost_of
from webhook.cluster.documents import load_documents
from webhook.cluster.folder import FolderCluster
from webhook.core.errors import BadInput
from webhook.core.values.demand import demand
from webhook.core.values.quantity import NANOS

HEAD = {"apiVersion": "v1", "kind": "Boat", "metadata": {"name": "x"}}
CLASS = {"apiVersion": "resourceclass.io/v1alpha1", "kind": "ResourceClass", "metadata": {"name": "a"}}

keys = st.text(max_size=40) | st.sampled_from(
    ["yes", "1", "null", "<<", "2026-01-31", "~", "a: b", "- x", "#"]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | keys
)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=20)


fields = st.sampled_from(
    [
        "containers",
        "initContainers",
        "resources",
        "limits",
        "hard",
        "used",
        "scopes",
        "selector",
        "properties",
    ]
)
shapes = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields | keys, inner), max_leaves=20
)


def read_back(text: str) -> Any:
    (document,) = load_documents(text, "f.yaml")
    return document.obj["spec"]


@given(values)
def test_json_is_read_as_it_was_written(value: Any) -> None:
    assert read_back(json.dumps({**HEAD, "spec": value})) == value


@given(values)
def test_json_with_indents_of_tabs_is_read_as_it_was_written(value: Any) -> None:
    assert read_back(json.dumps({**HEAD, "spec": value}, indent="\t")) == value


@given(values)
def test_yaml_is_read_as_it_was_written(value: Any) -> None:
    text = yaml.safe_dump({**HEAD, "spec": value}, allow_unicode=False, default_style='"')
    plain = yaml.safe_load(text)["spec"]
    assert read_back(text) == plain


def complaint(text: str | bytes) -> str:
    """Return what is wrong with a text; empty when nothing is."""
    try:
        load_documents(text, "f.yaml")
    except BadInput as error:
        return str(error)
    return ""


@given(st.text() | st.binary() | st.text(alphabet="&*<>{}[]:,-?!|#'\"a1\n \t"))
def test_any_text_is_read_or_refused_with_its_name(text: str | bytes) -> None:
    said = complaint(text)
    assert not said or said.startswith("f.yaml:")


@given(
    st.sampled_from(["Pod", "ResourceQuota", "Namespace", "ExtendedResource", "ResourceClass"]),
    shapes,
    shapes,
)
def test_an_object_of_any_shape_leaves_every_question_answered(kind: str, spec: Any, status: Any) -> None:
    cluster = FolderCluster()
    for obj in (CLASS, {**CLASS, "kind": kind, "metadata": {"name": "b"}}, {**HEAD, "kind": kind}):
        cluster.create({**obj, "spec": spec, "status": status})
    assert cluster.classes().exists("a")
    assert len(cluster.quotas("default")) == (kind == "ResourceQuota")
    assert {usage.pod for usage in cluster.usage("a")} <= {"x"}
    assert len(cluster.device_kinds()) <= 1
    assert dict(cluster.namespace_labels("x")) == {}


amounts = st.dictionaries(
    st.sampled_from(["resourceclass.io/a", "resourceclass.io/b", "cpu"]), st.integers(0, 9)
)
resources = st.fixed_dictionaries({"limits": amounts})
boxes = st.fixed_dictionaries({"resources": resources}, optional={"restartPolicy": st.just("Always")})


@given(st.lists(boxes, min_size=1, max_size=4), st.lists(boxes, max_size=4))
def test_a_quota_is_charged_what_the_rules_say_a_pod_needs(running: list[Any], first: list[Any]) -> None:
    spec = {"containers": running, "initContainers": first}
    cost = cost_of({"spec": spec})
    charged = {name: cost[f"requests.resourceclass.io/{name}"] // NANOS for name in "ab"}
    assert {name: units for name, units in charged.items() if units} == dict(demand(spec).units)
