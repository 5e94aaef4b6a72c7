"""What is looked at again when nobody waits for it any more, and what people are told."""

from __future__ import annotations

import pytest

from tests.unit.binder.worlds import CLASSES, World, bound, device, k80_pod, one_node
from webhook.binder.binding import DECIDE_SECONDS
from webhook.binder.notices import AGAIN_SECONDS, NODES_AT_ONCE, Notices, complaints, double_allocations
from webhook.binder.reserving import BindRefused
from webhook.binder.settling import UNSEEN_SECONDS, Settler
from webhook.core.errors import ClusterUnavailable
from webhook.core.values.classes import Classes


class Settled:
    """A world with a settler, whose notices are counted."""

    def __init__(self, world: World) -> None:
        self.world = world
        notices = Notices(world.books, world.api, world.clock)
        self.settler = Settler(world.books, world.api, world.gate, notices, world.clock)

    def unclear(self, name: str = "p") -> Settled:
        """Bind a pod, without an answer and without a look at it."""
        self.world.create(obj := k80_pod(name))
        self.world.api.fault, self.world.api.unreadable = ClusterUnavailable("timed out"), True
        with pytest.raises(BindRefused):
            self.world.bind(obj, "node-a")
        self.world.api.unreadable = False
        return self

    def step(self, seconds: float = 0.0) -> Settled:
        self.world.clock.now += seconds
        self.settler.step()
        return self


def test_an_unclear_bind_that_never_came_through_gives_its_device_back():
    settled = Settled(one_node()).unclear()
    assert settled.world.free("node-a") == set()
    settled.step(DECIDE_SECONDS)
    assert settled.world.free("node-a") == {"GPU-0"}


def test_an_unclear_bind_that_came_through_keeps_its_device():
    settled = Settled(one_node()).unclear()
    settled.world.api.carry_out("team-a", "p", settled.world.api.posted[0])
    settled.step(DECIDE_SECONDS)
    assert (settled.world.free("node-a"), settled.world.books.reserved) == (set(), {})


def test_an_unclear_bind_of_a_pod_that_is_gone_gives_its_device_back():
    settled = Settled(one_node()).unclear()
    settled.world.api.delete("p")
    assert settled.step(DECIDE_SECONDS).world.free("node-a") == {"GPU-0"}


def test_what_another_binder_gave_away_since_an_unclear_bind_is_not_given_again():
    """The Lease went to another binder and came back, before the pod could be looked at."""
    settled = Settled(one_node("GPU-0", "GPU-1")).unclear()
    p = settled.world.api.pods["team-a", "p"]
    settled.world.create(bound(k80_pod("q"), "node-a", "GPU-0"))
    with pytest.raises(BindRefused, match="not decided yet"):
        settled.world.bind(p, "node-a")
    settled.step(DECIDE_SECONDS)
    assert settled.world.bind(p, "node-a") == "bound"
    assert (settled.world.devices_of("p"), settled.world.devices_of("q")) == (("GPU-1",), ("GPU-0",))


def test_an_unclear_bind_stays_while_the_pod_cannot_be_read(caplog):
    settled = Settled(one_node()).unclear()
    settled.world.api.unreadable = True
    settled.step(DECIDE_SECONDS).step(DECIDE_SECONDS)
    assert settled.world.free("node-a") == set()
    assert len(caplog.records) == 2  # one of the bind, and one of the looks


def test_what_the_watch_never_showed_is_read_once_it_is_overdue():
    settled = Settled(one_node())
    settled.world.create(p := k80_pod("p"))
    settled.world.bind(p, "node-a")
    settled.world.api.delete("p")
    assert settled.step(UNSEEN_SECONDS - 1).world.free("node-a") == set()
    assert settled.step(1).world.free("node-a") == {"GPU-0"}


def test_what_the_api_server_said_yes_to_is_not_given_up_for_an_old_answer():
    settled = Settled(one_node())
    settled.world.create(p := k80_pod("p"))
    settled.world.bind(p, "node-a")
    settled.world.api.create(p)
    assert settled.step(UNSEEN_SECONDS).world.free("node-a") == set()


def damaged(name: str, text: str) -> dict:
    obj = bound(k80_pod(name), "node-a", "GPU-0")
    return {**obj, "metadata": {**obj["metadata"], "annotations": {"resourceclass.io/allocation": text}}}


def test_a_record_of_which_nothing_can_be_read_blocks_the_node_and_is_told():
    settled = Settled(one_node("GPU-0", "GPU-1"))
    settled.world.create(damaged("m", "{not json"), q := k80_pod("q"))
    with pytest.raises(BindRefused, match="record of devices is damaged"):
        settled.world.bind(q, "node-a")
    ((name, reason, message),) = settled.step().world.api.told
    assert (name, reason) == ("m", "DamagedDeviceRecord")
    assert message.startswith("node node-a takes no pod with devices until the annotation")


def test_devices_that_can_be_read_from_a_damaged_record_are_taken():
    settled = Settled(one_node("GPU-0", "GPU-1"))
    settled.world.create(damaged("m", '{"version":1,"containers":{"c":[{"device":"GPU-0"'))
    assert settled.world.free("node-a") == {"GPU-1"}
    ((_, _, message),) = settled.step().world.api.told
    assert message.startswith("GPU-0 on node-a count as taken until")


def test_the_node_is_open_again_when_the_record_is_mended():
    settled = Settled(one_node("GPU-0", "GPU-1"))
    settled.world.create(damaged("m", "{not json"))
    settled.world.create(bound(k80_pod("m"), "node-a", "GPU-0"))
    assert settled.world.free("node-a") == {"GPU-1"}
    assert settled.step().world.api.told == []


def test_a_device_of_two_records_is_taken_told_and_never_offered():
    settled = Settled(one_node("GPU-0", "GPU-1"))
    settled.world.create(*(bound(k80_pod(name), "node-a", "GPU-0") for name in ("p", "q")))
    assert (settled.world.free("node-a"), double_allocations(settled.world.books)) == ({"GPU-1"}, 1)
    assert [(name, reason) for name, reason, _ in settled.step().world.api.told] == [
        ("p", "DeviceHeldTwice"),
        ("q", "DeviceHeldTwice"),
    ]


def test_devices_held_twice_are_counted_as_long_as_they_are():
    world = World().nodes(**{name: [device(name, f"GPU-{name}")] for name in ("a", "b", "c")})
    counts = []
    for name in ("a", "b"):
        world.create(*(bound(k80_pod(f"{name}{n}"), name, f"GPU-{name}") for n in range(2)))
        counts.append(double_allocations(world.books))
    world.books.set_classes(Classes.of(CLASSES))
    counts.append(double_allocations(world.books))
    world.api.delete("a0")
    counts.append(double_allocations(world.watch().books))
    world.books.remove_device("b-gpu-b")
    counts.append(double_allocations(world.books))
    assert counts == [1, 2, 2, 1, 0]


def test_each_complaint_is_told_once_an_hour():
    settled = Settled(one_node())
    settled.world.create(damaged("m", "{not json"))
    settled.step().step(60)
    assert len(settled.world.api.told) == 1
    settled.step(AGAIN_SECONDS)
    assert len(settled.world.api.told) == 2


def test_what_could_not_be_told_is_told_later():
    settled = Settled(one_node())
    settled.world.create(damaged("m", "{not json"))
    settled.world.api.unreadable = True
    settled.step()
    settled.world.api.unreadable = False
    assert len(settled.step(60).world.api.told) == 1


def test_who_may_not_decide_tells_nobody():
    settled = Settled(one_node())
    settled.world.create(damaged("m", "{not json"))
    settled.world.gate.closed = "the lease is held by another"
    assert settled.step().world.api.told == []


def test_nothing_is_wrong_in_a_cluster_without_devices():
    settled = Settled(World().nodes(**{"node-a": [device("node-a", "GPU-0")]}))
    assert (settled.step().world.api.told, double_allocations(settled.world.books)) == ([], 0)


def test_a_list_that_is_older_than_a_pod_does_not_free_what_the_pod_was_given():
    settled = Settled(one_node())
    settled.world.api.create(p := k80_pod("p"))
    assert settled.world.bind(p, "node-a") == "bound"
    settled.world.books.replace_pods({})
    assert settled.world.free("node-a") == set()
    assert settled.world.watch().free("node-a") == set()
    assert settled.world.books.reserved == {}


def test_nor_what_the_pod_was_seen_to_have_when_it_was_looked_at():
    settled = Settled(one_node())
    settled.world.api.create(p := k80_pod("p"))
    settled.world.api.lost = ClusterUnavailable("timed out")
    assert settled.world.bind(p, "node-a") == "bound"
    settled.world.books.replace_pods({})
    assert settled.world.free("node-a") == set()
    assert settled.step(UNSEEN_SECONDS).world.free("node-a") == set()


def test_such_a_pod_that_is_gone_is_found_out():
    settled = Settled(one_node())
    settled.world.api.create(p := k80_pod("p"))
    settled.world.api.lost = ClusterUnavailable("timed out")
    assert settled.world.bind(p, "node-a") == "bound"
    settled.world.api.delete("p")
    settled.world.books.replace_pods({})
    assert settled.step(UNSEEN_SECONDS).world.free("node-a") == {"GPU-0"}
    assert (settled.world.books.pods, settled.world.books.reserved) == ({}, {})


def test_a_pod_that_the_watch_has_shown_and_a_list_does_not_is_gone():
    settled = Settled(one_node())
    settled.world.create(p := k80_pod("p"))
    assert settled.world.bind(p, "node-a") == "bound"
    settled.world.watch().books.replace_pods({})
    assert settled.world.free("node-a") == {"GPU-0"}


@pytest.mark.parametrize("ask", [complaints, double_allocations])
def test_many_nodes_are_worked_out_some_at_a_time(ask):
    books = World().books
    for number in range(2 * NODES_AT_ONCE):
        books.put_device(f"device-{number}", device(f"node-{number}", "GPU-0"))
    lock = CountingLock(books)
    ask(books)
    assert max(lock.worked_out) == NODES_AT_ONCE


class CountingLock:
    """Stands in for the lock of books, and notes how many nodes were worked out each time it was held."""

    def __init__(self, books):
        self._books, self.worked_out = books, []
        books.lock = self

    def __enter__(self):
        self._before = len(self._books.states)

    def __exit__(self, *error):
        self.worked_out.append(len(self._books.states) - self._before)
