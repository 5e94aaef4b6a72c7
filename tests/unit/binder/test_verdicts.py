"""What is remembered of verdicts, and for how long."""

from __future__ import annotations

from tests.unit.binder.worlds import World, bound, device, k80_pod
from webhook.binder.filtering import filter_nodes
from webhook.binder.question import shape_of
from webhook.binder.verdicts import STATES, Answers, Verdicts
from webhook.core.placement.requests import pod_requests
from webhook.core.values.demand import demand


def answers(world: World, obj: dict) -> Answers:
    asked = pod_requests(demand(obj["spec"]), world.books.classes)
    return world.books.verdicts.of(shape_of(asked))


def three_nodes() -> World:
    return World().nodes(**{name: [device(name, f"GPU-{name}")] for name in ("a", "b", "c")})


def test_nodes_that_are_alike_share_one_verdict():
    world = three_nodes()
    filter_nodes(world.books, k80_pod("p"), ["a", "b", "c"])
    assert len(answers(world, k80_pod("p")).refusals) == 1


def test_devices_that_a_pod_cannot_use_make_no_difference_to_it():
    world = three_nodes()
    world.books.put_device("a-other", device("a", "other", "Tesla P100"))
    filter_nodes(world.books, k80_pod("p"), ["a", "b", "c"])
    assert len(answers(world, k80_pod("p")).refusals) == 1


def test_a_node_that_comes_back_to_a_state_is_known():
    world = three_nodes()
    filter_nodes(world.books, k80_pod("p"), ["a"])
    world.create(held := bound(k80_pod("held"), "a", "GPU-a"))
    assert filter_nodes(world.books, k80_pod("p"), ["a"]).passing == []
    world.api.delete(held["metadata"]["name"])
    assert filter_nodes(world.watch().books, k80_pod("p"), ["a"]).passing == ["a"]
    assert len(answers(world, k80_pod("p")).refusals) == 2


def test_scores_are_forgotten_when_devices_come_or_go():
    world = three_nodes()
    known = answers(world, k80_pod("p"))
    known.scores[0] = 7
    world.books.put_device("a-other", device("a", "other"))
    assert known.scores == {}


def test_of_a_node_that_means_nothing_nothing_is_kept():
    world = three_nodes()
    filter_nodes(world.books, k80_pod("p"), ["x", "a"])
    assert set(world.books.states) == {"a"}


def test_a_number_is_given_to_one_state_only():
    verdicts = Verdicts()
    first = [verdicts.number(state) for state in range(STATES)]
    again = [verdicts.number(state) for state in range(STATES + 1)]
    assert first == again[:-1]
    assert verdicts.number(0) > max(again)
