"""The verb bind: one Binding per pod, what failures leave behind, and calls that come twice or too late."""

from __future__ import annotations

import pytest

from tests.unit.binder.worlds import World, bound, device, k80_pod, one_node, pod
from webhook.binder.binding import DECIDE_SECONDS, LOOK_SECONDS
from webhook.binder.reserving import BindRefused
from webhook.cluster.api import ApiError
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.core.values.names import RECORD_ANNOTATION


def refused(world: World, obj: dict, node: str = "node-a") -> BindRefused:
    with pytest.raises(BindRefused) as caught:
        world.bind(obj, node)
    return caught.value


def test_binds_a_pod_with_its_record_in_one_write():
    world = one_node()
    world.create(p := k80_pod("p"))
    assert world.bind(p, "node-a") == "bound"
    (posted,) = world.api.posted
    record = '{"version":1,"node":"node-a","containers":{"c":[{"class":"k80","device":"GPU-0"}]}}'
    assert posted["metadata"]["annotations"] == {
        RECORD_ANNOTATION: record,
        "devices.resourceclass.io/c": "GPU-0",
    }
    assert (posted["metadata"]["uid"], posted["target"]["name"]) == ("uid-p", "node-a")


def test_a_device_is_taken_before_the_watch_shows_the_pod():
    world = one_node()
    world.create(p := k80_pod("p"), q := k80_pod("q"))
    world.bind(p, "node-a")
    assert "can no longer serve" in str(refused(world, q))


def test_a_device_stays_taken_once_the_watch_has_shown_the_pod():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.bind(p, "node-a")
    world.watch()
    assert (world.free("node-a"), world.books.reserved) == (set(), {})


def test_a_repeated_bind_is_a_success_and_takes_nothing_more():
    world = one_node("GPU-0", "GPU-1")
    world.create(p := k80_pod("p"))
    world.bind(p, "node-a")
    assert (world.bind(p, "node-a"), world.free("node-a")) == ("already_bound", {"GPU-1"})


def test_a_repeated_bind_after_the_watch_is_a_success():
    world = one_node("GPU-0", "GPU-1")
    world.create(p := k80_pod("p"))
    world.bind(p, "node-a")
    world.watch()
    assert world.bind(p, "node-a") == "already_bound"
    assert len(world.api.posted) == 1


def test_a_bind_to_another_node_names_the_one_that_the_pod_is_on():
    world = one_node().nodes(**{"node-b": [device("node-b", "GPU-9")]})
    world.create(p := k80_pod("p"))
    world.bind(p, "node-a")
    world.watch()
    assert "is bound to node-a" in str(refused(world, p, "node-b"))
    assert world.free("node-b") == {"GPU-9"}


def test_a_pod_that_the_watch_has_not_shown_is_read():
    world = one_node()
    p = world.api.create(k80_pod("p"))
    assert world.bind(p, "node-a") == "bound"


def test_another_pod_of_the_name_is_neither_bound_nor_annotated():
    world = one_node()
    old = k80_pod("web-0", uid="U1")
    world.create(k80_pod("web-0", uid="U2"))
    assert "uid U2" in str(refused(world, old))
    assert world.api.posted == []


def test_another_pod_of_the_name_that_the_watch_has_not_shown_is_not_bound():
    world = one_node()
    world.create(old := k80_pod("web-0", uid="U1"))
    world.api.create(k80_pod("web-0", uid="U2"))
    refused(world, old)
    assert (world.devices_of("web-0"), world.free("node-a")) == ((), {"GPU-0"})


def test_a_pod_without_class_is_bound_without_annotations():
    world = one_node()
    world.create(p := pod("plain", {"name": "c"}))
    assert world.bind(p, "node-a") == "bound"
    assert world.api.posted[0]["metadata"]["annotations"] == {}


def test_a_node_that_is_gone_is_refused():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.books.remove_node("node-a")
    assert refused(world, p).result == "no_node"
    assert world.free("node-a") == {"GPU-0"}


@pytest.mark.parametrize("status", [400, 403, 404, 422, 429])
def test_a_clear_no_gives_the_device_back_at_once(status):
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.fault = ApiError("no", status)
    assert refused(world, p).result == "refused"
    assert (world.free("node-a"), world.clock.now) == ({"GPU-0"}, 1000)


def test_a_missing_permission_is_logged_as_an_error(caplog):
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.fault = ApiError("grant the account of this process create on it", 403)
    refused(world, p)
    (record,) = caplog.records
    assert (record.levelname, "grant" in record.fields["error"]) == ("ERROR", True)


UNCLEAR = [
    ClusterUnavailable("timed out"),
    ApiError("etcdserver: request timed out", 500),
    ApiError("t", 504),
]


@pytest.mark.parametrize("error", UNCLEAR, ids=["no answer", "500", "504"])
def test_a_lost_answer_of_a_binding_that_came_through_is_a_success(error):
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.lost = error
    assert world.bind(p, "node-a") == "bound"
    assert (world.devices_of("p"), world.free("node-a")) == (("GPU-0",), set())


@pytest.mark.parametrize("error", UNCLEAR, ids=["no answer", "500", "504"])
def test_a_binding_that_never_came_through_is_given_up_in_time(error):
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.fault = error
    assert refused(world, p).result == "refused"
    assert world.free("node-a") == {"GPU-0"}
    assert world.clock.now - 1000 <= DECIDE_SECONDS


def test_a_binding_that_comes_through_late_is_still_found():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.fault = ClusterUnavailable("timed out")
    waited = world.clock.wait

    def late(seconds: float) -> None:
        waited(seconds)
        if world.clock.now > 1001 and not world.devices_of("p"):
            world.api.carry_out("team-a", "p", world.api.posted[0])

    world.binder._wait = late
    assert world.bind(p, "node-a") == "bound"


def test_a_binding_that_was_sent_late_is_waited_for_as_long():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.fault = ClusterUnavailable("timed out")
    world.gate.check = lambda: world.clock.wait(DECIDE_SECONDS)
    assert refused(world, p).result == "refused"
    assert world.clock.now - 1000 >= 2 * DECIDE_SECONDS - LOOK_SECONDS


def test_the_conflict_of_a_binding_that_was_sent_twice_is_a_success():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.lost = ApiError("pod p is already assigned to node", 409)
    assert (world.bind(p, "node-a"), world.clock.now) == ("bound", 1000)


def test_the_devices_of_a_pod_that_was_bound_by_another_are_its_own():
    world = one_node("GPU-0", "GPU-1")
    world.create(p := k80_pod("p"))
    world.api.create(bound(p, "node-a", "GPU-1"))
    assert world.bind(p, "node-a") == "bound"
    assert world.free("node-a") == {"GPU-0"}


def test_a_pod_that_cannot_be_read_either_keeps_its_devices():
    world = one_node()
    world.create(p := k80_pod("p"), q := k80_pod("q"))
    world.api.fault = ClusterUnavailable("timed out")
    world.api.unreadable = True
    assert refused(world, p).result == "unclear"
    assert refused(world, q).result == "no_device"


def test_an_unclear_bind_is_not_sent_again_before_it_is_decided():
    world = one_node("GPU-0", "GPU-1")
    world.create(p := k80_pod("p"))
    world.api.fault, world.api.unreadable = ClusterUnavailable("timed out"), True
    refused(world, p)
    world.api.unreadable = False
    again = refused(world, p)
    assert (again.result, str(again)) == (
        "undecided",
        "an earlier attempt to bind pod team-a/p to node-a is not decided yet",
    )
    assert len(world.api.posted) == 1


def test_an_unclear_bind_to_another_node_is_refused():
    world = one_node().nodes(**{"node-b": [device("node-b", "GPU-9")]})
    world.create(p := k80_pod("p"))
    world.api.fault, world.api.unreadable = ClusterUnavailable("timed out"), True
    refused(world, p)
    assert refused(world, p, "node-b").result == "undecided"


def test_who_lost_the_lease_meanwhile_sends_nothing_and_holds_nothing():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.gate.closed = "held by another"
    with pytest.raises(NotReady):
        world.bind(p, "node-a")
    assert (world.api.posted, world.free("node-a")) == ([], {"GPU-0"})


def test_a_class_that_is_gone_is_named():
    world = one_node()
    world.create(p := pod("p", {"name": "c", "resources": {"limits": {"resourceclass.io/gone": "1"}}}))
    assert "class gone does not exist" in str(refused(world, p))


def test_a_pod_that_ends_between_the_two_looks_is_gone():
    world = one_node()
    p = world.api.create(k80_pod("p"))
    learn, world.books.learn_pod = world.books.learn_pod, lambda entry: None
    assert refused(world, p).result == "gone"
    world.books.learn_pod = learn
    assert world.free("node-a") == {"GPU-0"}


def test_a_fault_of_ours_while_the_binding_is_sent_holds_the_device_until_it_is_looked_at():
    world = one_node()
    world.create(p := k80_pod("p"))
    world.api.fault = RuntimeError("a bug")
    with pytest.raises(RuntimeError):
        world.bind(p, "node-a")
    assert world.free("node-a") == set()
    assert refused(world, p).result == "undecided"
