"""Shares of device memory: what fits on which device, to the last byte."""

import pytest

from tests.unit.core.placement.nodes import (
    GIB,
    MIB,
    a_class,
    any_of,
    asks,
    container,
    device,
    devices_of,
    node,
    share,
    spec,
)
from webhook.core.placement.node import loaded
from webhook.core.placement.packing import EXACT_DEVICES, EXACT_SHARES
from webhook.core.placement.place import fits, place
from webhook.core.placement.requests import REQUESTS_MAX
from webhook.core.placement.uses import Use, uses_of

CLASSES = [share("sh10", "10GiB"), share("sh9", "9GiB"), share("sh1", "1GiB"), a_class("k80")]
TWO = [device("GPU-0", mib=10240), device("GPU-1", mib=10240)]


def place_one_after_the_other(on, pods):
    """Place pods until one does not fit; return how many did."""
    uses = []
    for number, pod_spec in enumerate(pods):
        pod = asks_of(pod_spec)
        if fits(pod, on) is not None:
            return number
        record = place(pod, on).record(on)
        uses += uses_of(record, pod_spec)
        on = loaded(on.devices, uses)
    return len(pods)


def asks_of(pod_spec):
    return asks(L40_CLASSES, *pod_spec["containers"])


L40_CLASSES = [
    share("mib", "2000MiB", "L40"),
    share("mb", "2000MB", "L40"),
    share("gib", "2GiB", "L40"),
]


# kai-scheduler/KAI-Scheduler#416: MiB became MB and back, and one pod too many was let in.
@pytest.mark.parametrize(("class_name", "expected"), [("mib", 23), ("mb", 24), ("gib", 22)])
def test_a_card_holds_exactly_the_shares_that_its_memory_holds(class_name, expected):
    on = node([device("GPU-0", "L40", 46068)], L40_CLASSES)
    pods = [spec(container("c", {class_name: 1})) for _ in range(30)]
    assert place_one_after_the_other(on, pods) == expected


# Project-HAMi/HAMi#592, #3052: the second container was charged to the wrong card.
@pytest.mark.parametrize("reverse", [False, True])
def test_two_containers_that_share_are_charged_each_to_its_own_card(reverse):
    main = [container("big", {"sh10": 1}), container("small", {"sh1": 1})]
    main = main[::-1] if reverse else main
    on = node(TWO, CLASSES)
    found = place(asks(CLASSES, *main), on)
    assert devices_of(found, on) == {"big": ("GPU-0",), "small": ("GPU-1",)}
    uses = uses_of(found.record(on), spec(*main))
    assert uses == (Use("GPU-0", 10 * GIB), Use("GPU-1", GIB))
    after = loaded(on.devices, uses)
    assert fits(asks(CLASSES, *main), after) is not None
    nine = place(asks(CLASSES, container("c", {"sh9": 1})), after)
    assert devices_of(nine, after) == {"c": ("GPU-1",)}


def test_units_of_one_container_come_from_one_device():
    pod = asks(CLASSES, container("c", {"sh1": 11}))
    assert fits(pod, node(TWO, CLASSES)) is not None
    assert fits(pod, node([device("GPU-0", mib=11 * 1024)], CLASSES)) is None


def test_containers_of_one_pod_may_share_a_device():
    on = node(TWO[:1], CLASSES)
    found = place(asks(CLASSES, container("a", {"sh9": 1}), container("b", {"sh1": 1})), on)
    assert devices_of(found, on) == {"a": ("GPU-0",), "b": ("GPU-0",)}


def test_a_device_is_never_shared_and_given_whole_at_one_time():
    pod = asks(CLASSES, container("a", {"sh1": 1}), container("b", {"k80": 1}))
    assert fits(pod, node(TWO[:1], CLASSES)) is not None
    on = node(TWO, CLASSES)
    found = devices_of(place(pod, on), on)
    assert set(found["a"]) | set(found["b"]) == {"GPU-0", "GPU-1"}


def test_a_whole_device_of_an_init_container_may_be_shared_afterwards():
    on = node(TWO[:1], CLASSES)
    pod = asks(CLASSES, container("main", {"sh1": 1}), init=[container("prep", {"k80": 1})])
    assert devices_of(place(pod, on), on) == {"main": ("GPU-0",), "prep": ("GPU-0",)}


def test_packed_shares_go_to_the_fullest_device_that_has_room():
    on = node(TWO, CLASSES, [Use("GPU-1", GIB)])
    found = place(asks(CLASSES, container("c", {"sh1": 1})), on)
    assert devices_of(found, on) == {"c": ("GPU-1",)}


def test_spread_shares_go_to_the_emptiest_device():
    classes = [share("sh1", "1GiB", placement="Spread")]
    on = node(TWO, classes, [Use("GPU-0", GIB)])
    pod = asks(classes, container("a", {"sh1": 1}), container("b", {"sh1": 1}))
    assert devices_of(place(pod, on), on) == {"a": ("GPU-1",), "b": ("GPU-0",)}


def test_no_share_is_cut_from_a_device_of_unknown_memory():
    bare = device("GPU-0")
    bare = type(bare)(bare.name, bare.node, bare.device_id, {"model": "k80"})
    assert fits(asks(CLASSES, container("c", {"sh1": 1})), node([bare], CLASSES)) is not None
    assert fits(asks(CLASSES, container("c", {"k80": 1})), node([bare], CLASSES)) is None


def test_a_packing_that_best_fit_misses_is_found():
    # Best fit decreasing puts 5 and 4 on one device, 3, 3 and 3 on the other, and has no room for the 2.
    classes = [share(f"sh{n}", f"{n}GiB") for n in (2, 3, 4, 5)]
    on = node([device("GPU-0", mib=10 * 1024), device("GPU-1", mib=10 * 1024)], classes)
    main = [container(f"c{i}", {f"sh{n}": 1}) for i, n in enumerate((5, 4, 3, 3, 3, 2))]
    assert fits(asks(classes, *main), on) is None


def test_an_empty_device_is_told_from_a_used_one_with_as_much_left():
    # The 4 GiB leave 6 GiB of GPU-1, as much as the empty GPU-0 has, which must stay whole.
    classes = [a_class("k80"), share("spread", "1GiB", placement="Spread")]
    on = node([device("GPU-0", mib=6 * 1024), device("GPU-1", mib=10 * 1024)], classes)
    main = [container(f"c{i}", asked) for i, asked in enumerate(({"spread": 4}, {"spread": 3}, {"k80": 1}))]
    assert fits(asks(classes, *main), on) is None


def test_beyond_the_exact_sizes_many_shares_are_still_packed():
    classes = [share("sh1", "1GiB")]
    on = node([device(f"GPU-{n:02}", mib=4 * 1024) for n in range(16)], classes)
    fitting = [container(f"c{n}", {"sh1": 1}) for n in range(64)]
    assert len(fitting) > EXACT_SHARES
    assert len(on.devices.devices) > EXACT_DEVICES
    assert fits(asks(classes, *fitting), on) is None
    assert fits(asks(classes, *fitting, container("more", {"sh1": 1})), on) is not None


def test_as_many_shares_as_a_pod_may_ask_for_are_packed():
    classes = [share("sh1", "1GiB")]
    on = node([device(f"GPU-{n:02}", mib=16 * 1024) for n in range(REQUESTS_MAX // 16)], classes)
    assert fits(asks(classes, *(container(f"c{n}", {"sh1": 1}) for n in range(REQUESTS_MAX))), on) is None


def test_as_many_containers_as_a_pod_may_have_get_a_device_each():
    classes = [a_class("k80"), any_of("any", "k80", "p100")]
    models = ["k80"] * (REQUESTS_MAX - 1) + ["p100"]
    on = node([device(f"GPU-{n:03}", model) for n, model in enumerate(models)], classes)
    main = [container(f"c{n}", {"any": 1}) for n in range(REQUESTS_MAX - 1)]
    assert fits(asks(classes, *main, container("c", {"k80": 1})), on) is None


def test_beyond_the_exact_sizes_the_search_ends_with_no():
    # Each device holds one share, and there is one share more: 11! orders, none of which two look alike.
    classes = [share(f"sh{n}", f"{600 + n}MiB") for n in range(11)]
    on = node([device(f"GPU-{n:02}", mib=1000 + n) for n in range(10)], classes)
    main = [container(f"c{n}", {f"sh{n}": 1}) for n in range(11)]
    assert fits(asks(classes, *main), on) is not None
    assert fits(asks(classes, *main[1:]), on) is None


def test_bytes_are_counted_exactly():
    classes = [share("sh", "1KiB")]
    exact = device("GPU-0", mib=1)
    assert fits(asks(classes, container("c", {"sh": 1024})), node([exact], classes)) is None
    used = node([exact], classes, [Use("GPU-0", 1)])
    assert fits(asks(classes, container("c", {"sh": 1024})), used) is not None
    assert used.room.left == (MIB - 1,)
