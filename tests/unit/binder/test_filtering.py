"""Filter and prioritize: which nodes can serve a pod now, remembered until something changes."""

from __future__ import annotations

import pytest

from tests.unit.binder.worlds import (
    P100,
    World,
    bound,
    container,
    device,
    k80_pod,
    one_node,
    pod,
)
from webhook.binder.filtering import CANDIDATES, OTHER_BIND, Undecided, filter_nodes, prioritize_nodes
from webhook.binder.verdicts import SHAPES
from webhook.core.errors import ClusterUnavailable
from webhook.core.values.classes import Classes


def passing(world: World, obj: dict, *nodes: str) -> list[str]:
    return list(filter_nodes(world.books, obj, nodes or sorted(world.books.nodes)).passing)


def reasons(world: World, obj: dict, *nodes: str) -> dict[str, str]:
    return dict(filter_nodes(world.books, obj, nodes or sorted(world.books.nodes)).refused)


def two_nodes() -> World:
    return World().nodes(
        **{"node-a": [device("node-a", "GPU-0")], "node-b": [device("node-b", "GPU-1", "Tesla P100")]}
    )


def test_passes_the_nodes_whose_devices_are_of_the_class():
    assert passing(two_nodes(), k80_pod("p")) == ["node-a"]


def test_says_the_same_of_nodes_in_the_same_state():
    world = World().nodes(**{name: [device(name, f"GPU-{name}")] for name in ("a", "b", "c")})
    found = reasons(world, k80_pod("p", 2))
    assert set(found.values()) == {"k80 needs 2 devices: 1 free"}


def test_a_node_that_is_not_known_has_no_device():
    assert reasons(one_node(), k80_pod("p"), "node-x") == {
        "node-x": "k80 needs 1 device: no device of the class"
    }


def test_a_device_that_was_handed_out_is_refused_to_the_next():
    world = one_node()
    world.create(p := k80_pod("p"))
    assert passing(world, k80_pod("q")) == ["node-a"]
    world.bind(p, "node-a")
    assert reasons(world, k80_pod("q")) == {"node-a": "k80 needs 1 device: 1 in use"}


def test_a_device_is_free_again_once_its_pod_is_gone():
    world = one_node()
    world.create(bound(k80_pod("p"), "node-a", "GPU-0"))
    assert passing(world, k80_pod("q")) == []
    world.api.delete("p")
    assert passing(world.watch(), k80_pod("q")) == ["node-a"]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_holds_nothing(phase):
    world = one_node()
    world.create({**bound(k80_pod("p"), "node-a", "GPU-0"), "status": {"phase": phase}})
    assert passing(world, k80_pod("q")) == ["node-a"]


def test_a_terminating_pod_still_holds_its_device():
    world = one_node()
    p = bound(k80_pod("p"), "node-a", "GPU-0")
    world.create({**p, "metadata": {**p["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}})
    assert passing(world, k80_pod("q")) == []


def test_a_record_on_a_pod_without_node_holds_nothing():
    world = one_node()
    p = bound(k80_pod("p"), "node-a", "GPU-0")
    del p["spec"]["nodeName"]
    world.create(p)
    assert passing(world, k80_pod("q")) == ["node-a"]


def test_a_sick_device_is_not_offered_and_is_again_when_it_is_well():
    world = one_node()
    assert passing(world, k80_pod("p")) == ["node-a"]
    world.books.put_device("node-a-gpu-0", device("node-a", "GPU-0", phase="Unhealthy"))
    assert reasons(world, k80_pod("p")) == {"node-a": "k80 needs 1 device: 1 unhealthy"}
    world.books.put_device("node-a-gpu-0", device("node-a", "GPU-0"))
    assert passing(world, k80_pod("p")) == ["node-a"]


def test_a_device_that_is_removed_is_not_offered():
    world = one_node()
    assert passing(world, k80_pod("p")) == ["node-a"]
    world.books.remove_device("node-a-gpu-0")
    assert passing(world, k80_pod("p")) == []


def test_a_device_that_moved_is_offered_where_it_is():
    world = one_node().nodes(**{"node-b": []})
    assert passing(world, k80_pod("p")) == ["node-a"]
    moved = device("node-b", "GPU-0")
    world.books.put_device("node-a-gpu-0", moved)
    assert passing(world, k80_pod("p")) == ["node-b"]


def test_a_new_list_of_devices_replaces_the_old_one():
    world = one_node("GPU-0")
    other = device("node-b", "GPU-1")
    world.books.replace_devices({other.name: other})
    assert passing(world, k80_pod("p"), "node-a", "node-b") == ["node-b"]


def test_classes_that_change_change_the_answer():
    world = one_node()
    assert passing(world, k80_pod("p")) == ["node-a"]
    world.books.set_classes(Classes.of([P100]))
    assert reasons(world, k80_pod("p")) == {"node-a": "class k80 does not exist or cannot be read"}


def test_a_pod_without_class_passes_everywhere():
    assert passing(one_node(), pod("p", {"name": "c"}), "node-a", "node-x") == ["node-a", "node-x"]


def test_devices_of_one_pod_and_shares_of_others_are_never_mixed():
    world = one_node()
    world.create(p := pod("p", container(k80_2g=1)))
    world.bind(p, "node-a")
    assert reasons(world, k80_pod("q")) == {"node-a": "k80 needs 1 device: 1 in use by shares"}
    assert passing(world, pod("r", container(k80_2g=4))) == ["node-a"]
    assert passing(world, pod("r", container(k80_2g=5))) == []


def test_of_many_nodes_the_best_are_answered():
    names = [f"node-{number:03}" for number in range(CANDIDATES + 20)]
    world = World().nodes(**{name: [device(name, f"{name}-{i}") for i in range(2)] for name in names})
    world.create(bound(k80_pod("p"), names[-1], f"{names[-1]}-0"))
    found = passing(world, k80_pod("q"))
    assert (len(found), found[0]) == (CANDIDATES, names[-1])


def test_a_pod_that_may_be_bound_already_passes_only_where_that_would_be():
    world = World().nodes(**{name: [device(name, f"GPU-{name}")] for name in ("node-a", "node-b")})
    world.create(p := k80_pod("p"))
    world.api.fault, world.api.unreadable = ClusterUnavailable("timed out"), True
    with pytest.raises(Exception, match="looked at again"):
        world.bind(p, "node-a")
    assert passing(world, p) == ["node-a"]
    assert reasons(world, p) == {"node-b": OTHER_BIND}
    with pytest.raises(Undecided, match="node-a"):
        passing(world, p, "node-b")


def test_pack_prefers_the_fuller_node():
    world = World().nodes(**{n: [device(n, f"{n}-{i}") for i in range(4)] for n in ("node-a", "node-b")})
    world.create(bound(k80_pod("p"), "node-b", "node-b-0"))
    scores = prioritize_nodes(world.books, k80_pod("q"), ["node-a", "node-b"])
    assert scores["node-b"] > scores["node-a"]


def test_spread_prefers_the_emptier_node():
    world = World().nodes(**{n: [device(n, f"{n}-{i}") for i in range(4)] for n in ("node-a", "node-b")})
    world.create(bound(k80_pod("p"), "node-b", "node-b-0"))
    scores = prioritize_nodes(world.books, pod("q", container(k80_spread=1)), ["node-a", "node-b"])
    assert scores["node-a"] > scores["node-b"]


def test_scores_follow_what_changes():
    world = World().nodes(**{n: [device(n, f"{n}-{i}") for i in range(4)] for n in ("node-a", "node-b")})
    assert prioritize_nodes(world.books, k80_pod("q"), ["node-a", "node-b"]) == {"node-a": 10, "node-b": 10}
    world.create(bound(k80_pod("p"), "node-a", "node-a-0"))
    assert prioritize_nodes(world.books, k80_pod("q"), ["node-a", "node-b"]) == {"node-a": 10, "node-b": 0}


def test_a_node_that_fits_no_more_scores_nothing():
    world = World().nodes(**{n: [device(n, f"{n}-0")] for n in ("node-a", "node-b")})
    world.create(bound(k80_pod("p"), "node-a", "node-a-0"))
    assert prioritize_nodes(world.books, k80_pod("q"), ["node-a", "node-b"]) == {"node-a": 0, "node-b": 10}


def test_one_share_on_a_node_of_many_devices_tells_it_from_an_empty_one():
    world = World().nodes(**{n: [device(n, f"{n}-{i}") for i in range(64)] for n in ("node-a", "node-b")})
    world.create(bound(k80_pod("p"), "node-b", "node-b-0"))
    assert prioritize_nodes(world.books, k80_pod("q"), ["node-a", "node-b"]) == {"node-a": 0, "node-b": 10}


def test_a_pod_without_class_scores_alike_everywhere():
    assert prioritize_nodes(one_node().books, pod("p", {"name": "c"}), ["node-a", "x"]) == {
        "node-a": 10,
        "x": 10,
    }


def test_the_memory_of_answers_is_bounded():
    world = one_node()
    for units in range(1, SHAPES + 10):
        passing(world, k80_pod("p", units))
    assert len(world.books.verdicts) == SHAPES


def test_what_did_not_change_is_not_worked_out_again():
    world = one_node()
    passing(world, k80_pod("p"))
    before = world.books.books["node-a"].node(world.books.membership, world.books.sizes)
    passing(world, k80_pod("q"))
    world.create(pod("plain", {"name": "c"}))
    assert world.books.books["node-a"].node(world.books.membership, world.books.sizes) is before
