"""A table tells of each real change once, and is never set back by old news."""

from __future__ import annotations

from threading import RLock
from typing import Any

import pytest

from webhook.controller.kept import DEVICES, NODES, is_same_node, node_of, version_of
from webhook.controller.table import Table

Json = dict[str, Any]
KEY = ("", "a-0")


def device(version: int, node: str = "a", **status: Any) -> Json:
    return {
        "metadata": {"name": "a-0", "resourceVersion": str(version)},
        "spec": {"nodeName": node},
        "status": status,
    }


class Told:
    def __init__(self) -> None:
        self.changes: list[tuple[Any, Any]] = []

    def __call__(self, before: Any, after: Any) -> None:
        self.changes.append((before, after))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def table(told: Told) -> Table[Json]:
    return Table(RLock(), told, node_of, version_of)


def test_each_change_is_told_with_what_was_before(table: Table[Json], told: Told) -> None:
    one, two = device(1), device(2, phase="Bound")
    table.put(KEY, one)
    table.put(KEY, two)
    table.remove(KEY)
    table.remove(KEY)
    assert told.changes == [(None, one), (one, two), (two, None)]


def test_what_is_the_same_is_no_change(table: Table[Json], told: Told) -> None:
    table.put(KEY, device(1))
    table.put(KEY, device(1))
    table.replace([(KEY, device(1))])
    assert len(told.changes) == 1


def test_a_list_tells_what_came_changed_and_went(table: Table[Json], told: Told) -> None:
    table.replace([(KEY, device(1)), (("", "b-0"), device(1, "b"))])
    told.changes.clear()
    table.replace([(KEY, device(2)), (("", "c-0"), device(3, "c"))])
    assert sorted(before is None or after is None for before, after in told.changes) == [False, True, True]
    assert sorted(table.words()) == ["a", "c"]


def test_an_answer_to_our_own_write_is_known_and_told_to_nobody(table: Table[Json], told: Told) -> None:
    table.put(KEY, device(1))
    told.changes.clear()
    table.update(KEY, device(3, phase="Bound"))
    table.put(KEY, device(2))  # the watch is behind
    table.put(KEY, device(3, phase="Bound"))
    assert told.changes == []
    assert table.get(KEY) == device(3, phase="Bound")


def test_an_answer_that_comes_after_later_news_is_dropped(table: Table[Json]) -> None:
    table.put(KEY, device(5))
    table.update(KEY, device(4, phase="Bound"))
    assert table.get(KEY) == device(5)


def test_values_are_found_by_their_word_wherever_they_move(table: Table[Json]) -> None:
    table.put(KEY, device(1))
    table.put(KEY, device(2, "b"))
    assert (table.of("a"), table.of("b")) == ([], [device(2, "b")])
    table.forget(KEY)
    assert table.words() == []


def node(version: int, **more: Any) -> Json:
    metadata = {"name": "a", "uid": "u", "resourceVersion": str(version), "labels": {"x/y": "1"}}
    status = {
        "capacity": {"cpu": "4", "nvidia.com/gpu": "1"},
        "conditions": [{"type": "Ready", "lastHeartbeatTime": str(version)}],
        "images": [{"names": ["i"]}],
    }
    return {"metadata": metadata, "status": {**status, **more}}


def test_a_heartbeat_of_a_node_is_no_change(told: Told) -> None:
    nodes: Table[Json] = Table(RLock(), told, version=version_of, same=is_same_node)
    nodes.put(("", "a"), NODES.keep(node(1)) or {})
    nodes.put(("", "a"), NODES.keep(node(2)) or {})
    assert len(told.changes) == 1
    nodes.put(("", "a"), NODES.keep(node(3, capacity={"nvidia.com/gpu": "2"})) or {})
    assert len(told.changes) == 2


def test_of_a_node_only_what_tells_of_devices_is_kept() -> None:
    kept = NODES.keep(node(1))
    assert kept is not None
    assert kept["status"] == {"capacity": {"nvidia.com/gpu": "1"}, "allocatable": {}, "conditions": []}
    assert kept["metadata"]["labels"] == {}


def test_of_a_device_all_but_the_bookkeeping_is_kept() -> None:
    obj = device(1)
    obj["metadata"]["managedFields"] = [{"manager": "x"}]
    assert DEVICES.keep(obj) == device(1)
