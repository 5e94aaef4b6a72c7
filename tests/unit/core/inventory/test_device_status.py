"""The status of a device."""

import pytest

from tests.unit.core.inventory.device_world import merged
from webhook.core.inventory.device_status import MAX_CONSUMERS, device_status
from webhook.core.inventory.holdings import NOT_HELD, Held, Holder

GIB = 1 << 30


def a_device(**status):
    properties = {"model": "K80", "memory": "4GiB"}
    return {
        "metadata": {"name": "n-0"},
        "spec": {"nodeName": "n", "deviceID": "0", "properties": properties},
        "status": {"phase": "Available", **status},
    }


def holder(pod, memory_bytes=None):
    return Holder("team", pod, f"uid-{pod}", "train", "k80", memory_bytes)


def shares(*sizes):
    return Held(tuple(holder(f"p{index}", size) for index, size in enumerate(sizes)), sizes)


def whole(*pods):
    return Held(tuple(holder(pod) for pod in pods), (None,) * len(pods))


def after(obj, held):
    """The status once the patch is applied; to apply it again changes nothing."""
    patch = device_status(obj, held)
    result = merged(obj, patch or {})
    assert device_status(result, held) is None
    return result["status"]


def test_a_device_that_nobody_holds_is_available_and_says_nothing_more():
    assert device_status(a_device(), NOT_HELD) is None
    held = a_device(phase="Bound", allocated={"memory": "4Gi"}, consumers=[{"pod": "gone"}])
    assert after(held, NOT_HELD) == {"phase": "Available"}


def test_a_device_without_a_status_gets_one():
    obj = a_device()
    del obj["status"]
    assert device_status(obj, NOT_HELD) == {"status": {"phase": "Available"}}


def test_a_whole_device_is_bound_with_all_of_its_memory():
    assert after(a_device(), whole("a")) == {
        "phase": "Bound",
        "allocated": {"memory": "4Gi"},
        "consumers": [
            {"namespace": "team", "pod": "a", "uid": "uid-a", "container": "train", "class": "k80"}
        ],
    }


@pytest.mark.parametrize(
    ("sizes", "text"),
    [((GIB, 2 * GIB), "3Gi"), ((1908 << 20,), "1908Mi"), ((1 << 10,), "1Ki"), ((1001,), "1001")],
)
def test_shares_are_added_up_and_written_exactly(sizes, text):
    status = after(a_device(), shares(*sizes))
    assert status["allocated"] == {"memory": text}
    assert len(status["consumers"]) == len(sizes)


def test_a_device_of_unknown_size_says_who_holds_it_and_not_how_much():
    obj = a_device()
    del obj["spec"]["properties"]["memory"]
    status = after(obj, whole("a"))
    assert "allocated" not in status
    assert status["phase"] == "Bound"


def test_a_sick_device_stays_unhealthy_with_its_reason_and_shows_its_pods():
    sick = a_device(phase="Unhealthy", reason="Xid79", message="fell off the bus")
    for held in (whole("a"), whole("a", "b"), NOT_HELD):
        status = after(sick, held)
        assert (status["phase"], status["reason"], status["message"]) == (
            "Unhealthy",
            "Xid79",
            "fell off the bus",
        )
        assert len(status.get("consumers", [])) == len(held.holders)


def test_a_device_that_pods_hold_beyond_what_it_can_serve_says_so_until_they_do_not():
    held = after(a_device(), whole("a", "b"))
    assert held["reason"] == "DeviceHeldTwice"
    assert held["message"] == "2 pods hold the whole device: team/a and team/b"
    healed = after(a_device(**held), whole("a"))
    assert "reason" not in healed
    assert "message" not in healed


def test_a_reason_of_somebody_else_stays_on_a_healthy_device():
    noted = a_device(reason="Maintenance", message="tomorrow")
    assert after(noted, whole("a"))["reason"] == "Maintenance"


def test_of_very_many_consumers_the_first_are_listed_and_the_rest_counted():
    status = after(a_device(), shares(*[1 << 20] * (MAX_CONSUMERS + 6)))
    assert len(status["consumers"]) == MAX_CONSUMERS
    assert status["reason"] == "ConsumersCut"
    assert status["message"] == "held by 70 containers, of which 64 are listed"
    assert "reason" not in after(a_device(**status), shares(GIB))


def test_an_object_that_names_no_device_is_left_alone():
    assert device_status({"metadata": {"name": "x"}, "spec": {}}, NOT_HELD) is None
