"""Which pods the scheduler is told to look at again, because it may have missed that they fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.binder.worlds import CLASSES, P100, World, bound, device, k80_pod, one_node
from webhook.binder.filtering import filter_nodes
from webhook.binder.reserving import BindRefused
from webhook.binder.waiting import MOST_WAITING
from webhook.binder.waking import GRACE_SECONDS, MOST_PER_STEP, Waker
from webhook.core.errors import ClusterUnavailable
from webhook.core.values.classes import Classes


def refuse(world: World, *names: str) -> World:
    """The scheduler asks about pods that no node can serve."""
    for name in names:
        world.create(obj := k80_pod(name))
        assert not filter_nodes(world.books, obj, sorted(world.books.nodes)).passing
    return world


def full(*names: str) -> World:
    """A cluster whose one device is in use, and pods that wait for it."""
    world = one_node()
    world.create(bound(k80_pod("holder"), "node-a", "GPU-0"))
    return refuse(world, *names)


def free(world: World) -> World:
    world.clock.now += 1
    world.api.delete("holder")
    return world.watch()


def woken(world: World, seconds: float = GRACE_SECONDS) -> list[str]:
    world.clock.now += seconds
    before = len(world.api.woken)
    Waker(world.books, world.api).step()
    return world.api.woken[before:]


def test_a_pod_that_was_refused_before_the_device_was_free_is_woken_once():
    world = free(full("p"))
    assert (woken(world), woken(world)) == (["p"], [])


def test_the_scheduler_has_a_moment_to_ask_by_itself():
    world = free(full("p"))
    assert woken(world, 0.0) == []
    filter_nodes(world.books, k80_pod("p"), ["node-a"])
    assert woken(world) == []


def test_nobody_is_woken_by_a_change_that_helps_nobody():
    world = full("p")
    world.clock.now += 1
    world.create(bound(k80_pod("another"), "node-b", "GPU-9"))
    assert woken(world) == []


def test_who_was_refused_after_the_change_is_not_woken_by_it():
    world = free(full())
    world.clock.now += 1
    world.create(bound(k80_pod("thief"), "node-a", "GPU-0"))
    refuse(world, "p")
    assert woken(world) == []


def test_a_device_that_was_taken_meanwhile_wakes_nobody():
    world = free(full("p"))
    world.create(bound(k80_pod("thief"), "node-a", "GPU-0"))
    assert woken(world) == []


def test_a_new_device_wakes_who_waits_for_it():
    world = full("p")
    world.clock.now += 1
    world.books.put_device("node-a-gpu-1", device("node-a", "GPU-1"))
    assert woken(world) == ["p"]


def test_a_pod_that_fits_several_nodes_that_changed_is_woken_once():
    world = full("p")
    world.clock.now += 1
    for node in ("node-a", "node-b"):
        world.books.put_device(f"{node}-gpu-1", device(node, "GPU-1"))
    assert (woken(world), woken(world)) == (["p"], [])


def test_a_reservation_that_is_given_up_wakes_who_waits():
    world = one_node()
    world.create(q := k80_pod("q"))
    world.api.fault, world.api.unreadable = ClusterUnavailable("timed out"), True
    with pytest.raises(BindRefused):
        world.bind(q, "node-a")
    world.api.unreadable = False
    refuse(world, "p")
    world.clock.now += 1
    with world.books.lock:
        world.books.release("uid-q")
    assert woken(world) == ["p"]


def test_other_classes_wake_everybody():
    world = full("p")
    world.clock.now += 1
    world.books.set_classes(Classes.of(item for item in CLASSES if item is not P100))
    assert woken(world) == ["p"]


@pytest.mark.parametrize("how", ["bound", "gone"])
def test_a_pod_that_waits_no_more_is_forgotten(how):
    world = full("p")
    if how == "gone":
        world.api.delete("p")
        world.watch()
    else:
        world.create(bound(k80_pod("p"), "node-b", "GPU-9"))
    assert world.books.waiting == {}


def test_of_very_many_some_are_woken_at_a_time():
    names = [f"p{number}" for number in range(MOST_PER_STEP + 3)]
    world = free(full(*names))
    assert woken(world) + woken(world) == names


def test_what_is_remembered_of_pods_that_wait_is_bounded():
    world = full("first")
    some = world.books.waiting["uid-first"]
    with world.books.lock:
        for number in range(MOST_WAITING):
            world.books.wait(replace(some, uid=f"uid-{number}"))
    assert len(world.books.waiting) == MOST_WAITING
    assert "uid-first" not in world.books.waiting


def test_changes_are_not_collected_while_nobody_waits():
    world = free(full())
    assert (woken(world), world.books.changed) == ([], {})


def test_a_pod_that_could_not_be_woken_is_logged(caplog):
    world = free(full("p"))
    world.api.unreadable = True
    assert woken(world) == []
    assert len(caplog.records) == 1
