"""Selectors of classes: which devices belong to one, and what is wrong with one that cannot be read."""

import pytest

from webhook.core.values.selector import BadSelector, parse_selector


def expression(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def matches(raw, **properties):
    return parse_selector(raw).matches(properties)


def problems(raw):
    with pytest.raises(BadSelector) as caught:
        parse_selector(raw)
    return caught.value.problems


@pytest.mark.parametrize(
    ("raw", "properties", "expected"),
    [
        ({"matchLabels": {"vendor": "nvidia"}}, {"vendor": "nvidia"}, True),
        ({"matchLabels": {"vendor": "nvidia"}}, {"vendor": "NVIDIA"}, False),
        ({"matchLabels": {"vendor": "nvidia"}}, {}, False),
        ({"matchLabels": {"model": "NVIDIA Tesla K80"}}, {"model": "Tesla-K80"}, True),
        ({"matchLabels": {"model": "NVIDIA H20"}}, {"model": "NVIDIA H200"}, False),
        ({"matchLabels": {"memory": "10GiB"}}, {"memory": "10240"}, True),
        ({"matchLabels": {"index": 0}}, {"index": "0"}, True),
        (expression("model", "In", "A100", "H100"), {"model": "NVIDIA H100"}, True),
        (expression("model", "In", "A100", "H100"), {"model": "H200"}, False),
        (expression("model", "NotIn", "A100"), {"model": "NVIDIA A100"}, False),
        (expression("model", "NotIn", "A100"), {"model": "H100"}, True),
        (expression("model", "NotIn", "A100"), {}, True),
        (expression("vendor", "Exists"), {"vendor": ""}, True),
        (expression("vendor", "Exists"), {}, False),
        (expression("vendor", "DoesNotExist"), {}, True),
        (expression("vendor", "DoesNotExist"), {"vendor": "x"}, False),
        (expression("frequency", "Gt", "875"), {"frequency": "876"}, True),
        (expression("frequency", "Gt", "875"), {"frequency": "875"}, False),
        (expression("frequency", "Ge", "875"), {"frequency": "875"}, True),
        (expression("frequency", "Lt", "1k"), {"frequency": "999"}, True),
        (expression("frequency", "Lt", "1k"), {"frequency": "1000"}, False),
        (expression("frequency", "Le", "1k"), {"frequency": "1000"}, True),
        (expression("frequency", "Gt", "9"), {"frequency": "10"}, True),
        (expression("frequency", "Gt", "9"), {"frequency": "fast"}, False),
        (expression("frequency", "Gt", "9"), {}, False),
        (expression("memory", "NotIn", "10GiB"), {"memory": "n/a"}, False),
        (expression("memory", "In", "10GiB"), {"memory": "n/a"}, False),
    ],
)
def test_a_device_matches_by_the_rules_of_the_operator_and_the_key(raw, properties, expected):
    assert matches(raw, **properties) is expected


# The values are those of the published example (memory Gt "10GiB") over the spellings found in node labels.
@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ("2048MiB", False),
        ("10GiB", False),
        ("10240MiB", False),
        ("10241MiB", True),
        ("11441", True),
        ("10240", False),
        ("11GB", True),
        ("10.5GB", False),
        ("16Gi", True),
        ("80GB", True),
        ("42505273344", True),
        ("", False),
        ("n/a", False),
    ],
)
def test_memory_is_compared_as_a_size(memory, expected):
    assert matches([expression("memory", "Gt", "10GiB")], memory=memory) is expected


def test_labels_and_expressions_of_one_term_must_all_hold():
    raw = {"matchLabels": {"vendor": "nvidia"}, **expression("memory", "Gt", "10GiB")}
    assert matches(raw, vendor="nvidia", memory="16GiB")
    assert not matches(raw, vendor="amd", memory="16GiB")
    assert not matches(raw, vendor="nvidia", memory="8GiB")


def test_one_term_of_a_list_is_enough():
    raw = [{"matchLabels": {"model": "A100"}}, {"matchLabels": {"model": "H100"}}]
    assert matches(raw, model="H100")
    assert not matches(raw, model="H200")


def test_values_that_cannot_be_compared_are_named_once():
    selector = parse_selector([expression("memory", "Gt", "10GiB"), expression("memory", "Lt", "1TiB")])
    assert selector.unreadable({"memory": "n/a"}) == [
        "memory: 'n/a' is not a size (such as 11441, 16276MiB or 80GB)"
    ]


@pytest.mark.parametrize("properties", [{}, {"memory": "16GiB"}])
def test_what_is_absent_or_readable_is_not_named(properties):
    assert parse_selector(expression("memory", "Gt", "10GiB")).unreadable(properties) == []


def test_presence_alone_reads_no_value():
    assert parse_selector(expression("memory", "Exists")).unreadable({"memory": "n/a"}) == []


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ([], "spec.selector is empty"),
        ({}, "spec.selector is empty"),
        ([{}], "spec.selector[0] is empty"),
        ({"matchLabels": {}, "matchExpressions": None}, "spec.selector is empty"),
        (None, "spec.selector must be a map"),
        ("model", "spec.selector must be a map"),
        ([5], "spec.selector[0] must be a map"),
        ({"matchLabels": ["model"]}, "spec.selector.matchLabels must be a map"),
        ({"matchExpressions": {"key": "x"}}, "spec.selector.matchExpressions must be a list"),
        ({"matchLabels": {"model": True}}, "spec.selector.matchLabels[model] must be a text, not bool"),
        ({"matchLabels": {"model": None}}, "spec.selector.matchLabels[model] must be a text, not null"),
        ({"matchLabels": {"a": "b"}, "matchlabels": {}}, "spec.selector.matchlabels is no field"),
        ({"matchLabels": {"memory": "10 GiB"}}, "spec.selector.matchLabels[memory]: '10 GiB'"),
        ({"matchExpressions": [5]}, "spec.selector.matchExpressions[0] must be a map"),
        (expression("", "Exists"), "spec.selector.matchExpressions[0].key must name"),
        (expression("model", "in", "x"), "spec.selector.matchExpressions[0].operator is 'in'"),
        (expression("model", ["In"], "x"), "spec.selector.matchExpressions[0].operator is ['In']"),
        (expression("model", "In"), "spec.selector.matchExpressions[0].values has 0 values"),
        (expression("model", "Exists", "x"), "spec.selector.matchExpressions[0].values has 1 values"),
        (expression("memory", "Gt", "1GiB", "2GiB"), "spec.selector.matchExpressions[0].values has 2 values"),
        (expression("memory", "In", "1GiB", "ten"), "spec.selector.matchExpressions[0].values[1]: 'ten'"),
        (expression("frequency", "Gt", "fast"), "spec.selector.matchExpressions[0].values[0]: 'fast'"),
        (expression("model", "In", None), "spec.selector.matchExpressions[0].values[0] must be a text"),
        (
            {"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]},
            "spec.selector.matchExpressions[0].values must be a list",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "value": "b"}]},
            "spec.selector.matchExpressions[0].value is no field",
        ),
    ],
)
def test_an_unreadable_selector_names_the_place(raw, place):
    assert any(problem.startswith(place) for problem in problems(raw))


def test_all_problems_are_named_at_once():
    raw = [expression("memory", "Gt", "ten"), {}, expression("", "near", "x")]
    assert len(problems(raw)) == 4
