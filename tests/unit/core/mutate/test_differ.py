"""Which operations the differ chooses. That they make the second document is a property test."""

import pytest

from webhook.core.patch import diff

REMOVE_0 = {"op": "remove", "path": "/0"}


def add(path, value):
    return {"op": "add", "path": path, "value": value}


def replace(path, value):
    return {"op": "replace", "path": path, "value": value}


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        (1, 1, []),
        (1, 2, [replace("", 2)]),
        (1, True, [replace("", True)]),
        (1, 1.0, [replace("", 1.0)]),
        (None, {}, [replace("", {})]),
        ({"a": 1}, {"a": 1, "b": None}, [add("/b", None)]),
        ({"a": 1, "b": None}, {"a": 1}, [{"op": "remove", "path": "/b"}]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [replace("/a/b", 2)]),
        ({}, {"a": {"b": {"c": 1}}}, [add("/a", {"b": {"c": 1}})]),
        ({"a/b~c": 1}, {"a/b~c": 2}, [replace("/a~1b~0c", 2)]),
    ],
)
def test_maps_and_values_are_compared_key_by_key(before, after, operations):
    assert diff(before, after) == operations


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ([1, 2], [1, 3], [replace("/1", 3)]),
        ([1, 2], [0, 1, 2], [add("/0", 0)]),
        ([1, 2], [1, 2, 3], [add("/2", 3)]),
        ([1, 3], [1, 2, 3], [add("/1", 2)]),
        ([1, 2], [2], [REMOVE_0]),
        ([1, 2, 3], [], [{"op": "remove", "path": f"/{index}"} for index in (2, 1, 0)]),
        ([{"a": 1}], [{"a": 2}, {"b": 3}], [replace("/0/a", 2), add("/1", {"b": 3})]),
        ([[1]], [[1], [1]], [add("/1", [1])]),
    ],
)
def test_a_list_is_not_replaced_as_a_whole(before, after, operations):
    assert diff(before, after) == operations
