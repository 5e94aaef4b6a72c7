"""How good a node is for a pod."""

import pytest

from tests.unit.core.placement.nodes import GIB, a_class, any_of, asks, container, device, node, share
from webhook.core.placement.place import Assignment, place
from webhook.core.placement.score import MAX_SCORE, score
from webhook.core.placement.uses import Use

CLASSES = [
    a_class("k80"),
    a_class("p100"),
    any_of("any", "k80", "p100"),
    share("sh", "1GiB"),
    any_of("spread", "k80", placement="Spread"),
]


def k80s(count, taken=0, **places):
    return node(
        [device(f"GPU-{n}", **places) for n in range(count)], CLASSES, [Use(f"GPU-{n}") for n in range(taken)]
    )


def scored(on, amounts, sizes=None):
    return score(on, place(asks(CLASSES, container("c", amounts)), on), sizes)


def test_a_pod_that_gets_nothing_likes_every_node():
    assert score(k80s(1), Assignment(())) == MAX_SCORE


def test_pack_likes_the_fuller_node():
    assert [scored(k80s(6, taken), {"k80": 1}) for taken in (0, 3, 5)] == [500, 800, 1000]


def test_spread_likes_the_emptier_node():
    assert [scored(k80s(6, taken), {"spread": 1}) for taken in (0, 3, 5)] == [900, 600, 400]


def test_shares_are_packed_by_memory():
    def on(used):
        return node([device("GPU-0", mib=6 * 1024)], CLASSES, [Use("GPU-0", used * GIB)] if used else [])

    assert [scored(on(used), {"sh": 1}) for used in (0, 2, 5)] == [500, 700, 1000]


def test_one_small_share_of_many_devices_counts():
    def on(*uses):
        return node([device(f"GPU-{n}", mib=80 * 1024) for n in range(8)], CLASSES, uses)

    assert scored(on(Use("GPU-0", GIB)), {"sh": 1}) > scored(on(), {"sh": 1})


def test_a_device_given_whole_is_full_for_shares_too():
    on = node([device("GPU-0", mib=4096), device("GPU-1", mib=4096)], CLASSES, [Use("GPU-0")])
    assert scored(on, {"sh": 2}) == 850


def test_a_node_whose_devices_a_special_class_needs_is_kept_for_it():
    sizes = {"k80": 100, "p100": 4, "any": 104}
    p100 = node([device("GPU-0", "p100"), device("GPU-1", "p100")], CLASSES)
    common = {"k80": 2, "p100": 100, "any": 100}
    assert scored(p100, {"any": 1}, sizes) == scored(p100, {"any": 1}, common) - 200
    assert scored(p100, {"p100": 1}, sizes) == scored(p100, {"any": 1}, common)


@pytest.mark.parametrize(("numa", "lost"), [(("0", "0"), 0), (("0", "1"), 200), (("", ""), 0)])
def test_devices_far_apart_cost_points_where_places_are_known(numa, lost):
    places = [*numa, "0", "1"]
    devices = [device(f"GPU-{n}", numaNode=place) for n, place in enumerate(places)]
    on = node(devices, CLASSES, [Use("GPU-2"), Use("GPU-3")])
    assert scored(on, {"k80": 2}) == MAX_SCORE - lost
