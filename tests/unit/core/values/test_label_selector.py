"""Label selectors as Kubernetes reads them."""

import pytest

from webhook.core.values.label_selector import read_label_selector

TEAM_IN = {"matchExpressions": [{"key": "team", "operator": "In", "values": ["a", "b"]}]}
TEAM_NOT_IN = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["a"]}]}
TEAM_EXISTS = {"matchExpressions": [{"key": "team", "operator": "Exists"}]}
TEAM_ABSENT = {"matchExpressions": [{"key": "team", "operator": "DoesNotExist", "values": None}]}


def read(raw):
    problems = []
    selector = read_label_selector(raw, "spec.namespaces", problems)
    return selector, problems


@pytest.mark.parametrize(
    ("raw", "labels", "expected"),
    [
        ({}, {}, True),
        ({"matchLabels": {"team": "a"}}, {"team": "a", "x": "y"}, True),
        ({"matchLabels": {"team": "a"}}, {"team": "b"}, False),
        (TEAM_IN, {"team": "b"}, True),
        (TEAM_IN, {}, False),
        (TEAM_NOT_IN, {"team": "a"}, False),
        (TEAM_NOT_IN, {}, True),
        (TEAM_EXISTS, {"team": ""}, True),
        (TEAM_EXISTS, {}, False),
        (TEAM_ABSENT, {}, True),
        (TEAM_ABSENT, {"team": "a"}, False),
        ({"matchLabels": {"x": "y"}, **TEAM_IN}, {"team": "a"}, False),
    ],
)
def test_labels_are_selected_as_by_kubernetes(raw, labels, expected):
    selector, problems = read(raw)
    assert problems == []
    assert selector.matches(labels) is expected


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ({"matchLabels": {"team": "a"}}, "team=a"),
        (TEAM_IN, "team in (a,b)"),
        (TEAM_NOT_IN, "team notin (a)"),
        (TEAM_EXISTS, "team"),
        (TEAM_ABSENT, "!team"),
        ({"matchLabels": {"x": "y"}, **TEAM_EXISTS}, "x=y,team"),
    ],
)
def test_a_selector_prints_as_kubectl_takes_it(raw, text):
    assert str(read(raw)[0]) == text


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ("team=a", "spec.namespaces must be a label selector"),
        ({"matchLabels": ["team"]}, "spec.namespaces.matchLabels must be a map"),
        ({"matchLabels": {"team": 1}}, "spec.namespaces.matchLabels[team] must be a text"),
        ({"matchExpressions": {"key": "x"}}, "spec.namespaces.matchExpressions must be a list"),
        ({"matchExpressions": [None]}, "spec.namespaces.matchExpressions[0].key must name"),
        (
            {"matchExpressions": [{"key": "x", "operator": "Gt"}]},
            "spec.namespaces.matchExpressions[0].operator",
        ),
        (
            {"matchExpressions": [{"key": "x", "operator": "In", "values": [1]}]},
            "spec.namespaces.matchExpressions[0].values must be a list of texts",
        ),
        (
            {"matchExpressions": [{"key": "x", "operator": "In"}]},
            "spec.namespaces.matchExpressions[0].values: In needs at least one value",
        ),
        (
            {"matchExpressions": [{"key": "x", "operator": "Exists", "values": ["y"]}]},
            "spec.namespaces.matchExpressions[0].values: Exists takes no values",
        ),
    ],
)
def test_an_unreadable_selector_names_the_place(raw, place):
    _, problems = read(raw)
    assert len(problems) == 1
    assert problems[0].startswith(place)
