"""Reading raw JSON that may be of another type than the schema says."""

import pytest

from webhook.core.raw import as_list, as_mapping, as_text, at

NONSENSE = [None, 5, True, 1.5]


@pytest.mark.parametrize("value", [*NONSENSE, "text", []])
def test_what_is_no_object_is_read_as_an_empty_one(value):
    assert as_mapping(value) == {}


@pytest.mark.parametrize("value", [*NONSENSE, "text", {}])
def test_what_is_no_array_is_read_as_an_empty_one(value):
    assert as_list(value) == []


@pytest.mark.parametrize("value", [*NONSENSE, [], {}])
def test_what_is_no_string_is_read_as_an_empty_one(value):
    assert as_text(value) == ""


def test_values_of_the_right_type_are_returned_themselves():
    assert (as_mapping({"a": 1}), as_list([1]), as_text("a")) == ({"a": 1}, [1], "a")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"a": {"b": {"c": 1}}}, {"c": 1}),
        ({"a": None}, {}),
        ({"a": []}, {}),
        ({"a": {"b": 5}}, {}),
        (None, {}),
    ],
)
def test_a_path_leads_to_an_object_or_to_an_empty_one(document, expected):
    assert at(document, "a", "b") == expected
