"""Which work a change makes, and which it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.binder.worlds import bound, k80_pod
from webhook.controller.queue import Key
from webhook.controller.world import World
from webhook.core.placement.pod_entry import keep_pod

Json = dict[str, Any]


class Told:
    """The keys that were added, soon and later."""

    def __init__(self) -> None:
        self.soon: list[Key] = []
        self.later: set[Key] = set()

    def add(self, key: Key) -> None:
        self.soon.append(key)

    def add_after(self, key: Key, seconds: float) -> None:
        self.later.add(key)

    def taken(self) -> tuple[list[Key], set[Key]]:
        found = self.soon, self.later
        self.soon, self.later = [], set()
        return found


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def world(told: Told) -> World:
    return World(told)


def a_class(name: str = "k80", version: int = 1, status: Json | None = None, **spec: Any) -> Json:
    return {
        "metadata": {"name": name, "resourceVersion": str(version)},
        "spec": {"selector": {"matchLabels": {"model": "Tesla K80"}}, **spec},
        "status": status or {},
    }


def a_device(node: str, version: int = 1, model: str = "Tesla K80", **status: Any) -> Json:
    return {
        "metadata": {"name": f"{node}-0", "resourceVersion": str(version)},
        "spec": {"nodeName": node, "deviceID": "0", "properties": {"model": model}},
        "status": status,
    }


def namespace(name: str, **labels: str) -> Json:
    return {"metadata": {"name": name, "labels": {f"resourceclass.io/{k}": v for k, v in labels.items()}}}


NODES, NAMESPACES = Key("sweep", "nodes"), Key("sweep", "namespaces")


def test_a_pod_makes_work_for_the_nodes_it_is_on(world: World, told: Told) -> None:
    waiting, held = keep_pod(k80_pod("p")), keep_pod(bound(k80_pod("p"), "node-a", "0"))
    assert waiting is not None
    assert held is not None
    world.pods.put(("team-a", "uid-p"), waiting)
    assert told.taken() == ([], set())
    world.pods.put(("team-a", "uid-p"), held)
    assert told.taken() == ([Key("node", "node-a")], set())
    world.pods.remove(("team-a", "uid-p"))
    assert told.taken() == ([Key("node", "node-a")], set())


def test_a_device_makes_work_for_its_node_and_a_new_one_for_the_classes(world: World, told: Told) -> None:
    world.devices.put(("", "a-0"), a_device("a"))
    assert told.taken() == ([Key("node", "a")], {Key("classes")})
    world.devices.put(("", "a-0"), a_device("a", 2, phase="Unhealthy"))
    assert told.taken() == ([Key("node", "a")], set())


def test_a_class_makes_work_for_all_nodes_once_the_crowd_is_there(world: World, told: Told) -> None:
    world.classes.put(("", "k80"), a_class())
    assert told.taken() == ([], {NODES, Key("classes"), Key("class-status", "k80")})
    assert world.read_classes()[0].names == ("k80",)


def test_the_status_of_a_class_makes_no_work(world: World, told: Told) -> None:
    world.classes.put(("", "k80"), a_class())
    told.taken()
    world.classes.put(("", "k80"), a_class(version=2, status={"devices": 1}))
    assert told.taken() == ([], set())


@pytest.mark.parametrize(("before", "after"), [({}, {"default": 1}), ({"default": 1}, {"default": 2})])
def test_a_default_quota_makes_work_for_all_namespaces(
    world: World, told: Told, before: Json, after: Json
) -> None:
    world.classes.put(("", "k80"), a_class(**({"quota": before} if before else {})))
    told.taken()
    world.classes.put(("", "k80"), a_class(version=2, quota=after))
    assert NAMESPACES in told.later


def test_a_namespace_makes_work_for_itself_and_its_adoption_for_the_classes(world: World, told: Told) -> None:
    world.classes.put(("", "k80"), a_class())
    told.taken()
    world.namespaces.put(("", "a"), namespace("a"))
    assert told.taken() == ([Key("quota", "a")], set())
    world.namespaces.put(("", "a"), namespace("a", adopt="k80"))
    assert told.taken() == ([Key("quota", "a")], {Key("classes")})
    assert world.adopting_classes() == {"k80"}
    world.namespaces.remove(("", "a"))
    assert told.taken() == ([Key("quota", "a")], set())
    assert world.adopting_classes() == set()


def test_a_quota_makes_work_for_its_namespace(world: World, told: Told) -> None:
    world.quotas.put(("a", "q"), {"metadata": {"namespace": "a", "name": "q"}, "spec": {}})
    assert told.taken() == ([Key("quota", "a")], set())


def test_the_classes_that_pods_ask_for_are_those_of_waiting_pods_too(world: World) -> None:
    waiting = keep_pod(k80_pod("p"))
    assert waiting is not None
    world.pods.put(("team-a", "uid-p"), waiting)
    assert world.asked_classes() == {"k80"}
