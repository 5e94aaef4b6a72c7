"""Nodes that are taken for alike: no pod may be able to tell them apart."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.test_placement import CLASSES, pods
from tests.unit.core.placement.nodes import asks, container, device, share
from webhook.core.placement.alike import state_for, state_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.node import Strangers, loaded, node_devices
from webhook.core.placement.place import Assignment, fits, place
from webhook.core.placement.uses import Use
from webhook.core.values.classes import Classes

TRAITS = st.tuples(
    st.sampled_from("abc"),
    st.integers(1, 4),
    st.sampled_from(["Available", "Available", "Available", "Unhealthy"]),
    st.sampled_from([{}, {"numaNode": "0"}, {"numaNode": "1"}]),
    st.sampled_from([None, None, "whole", 1, 2 << 30]),
)


def a_node(traits, membership, **more):
    """Return a node with one device for each of the traits, in this order."""
    devices = [
        device(f"GPU-{n:02}", model, gib * 1024, phase, **places)
        for n, (model, gib, phase, places, _) in enumerate(traits)
    ]
    uses = [
        Use(f"GPU-{n:02}", None if taken == "whole" else taken)
        for n, (*_, taken) in enumerate(traits)
        if taken is not None
    ]
    return loaded(node_devices("node-a", devices, membership), uses, **more)


def answer(pod, on):
    refusal = fits(pod, on)
    assert isinstance(place(pod, on), Assignment) == (refusal is None)
    return refusal


@settings(max_examples=400, deadline=None)
@given(data=st.data(), traits=st.lists(TRAITS, max_size=5), pod_spec=pods())
def test_the_order_of_a_nodes_devices_makes_no_difference(data, traits, pod_spec):
    membership = Membership(Classes.of(CLASSES))
    one = a_node(traits, membership)
    other = a_node(data.draw(st.permutations(traits)), membership)
    pod = asks(CLASSES, *pod_spec["containers"], init=pod_spec["initContainers"])
    assert state_of(one) == state_of(other)
    assert answer(pod, one) == answer(pod, other)


@settings(max_examples=400, deadline=None)
@given(
    one=st.lists(TRAITS, max_size=4),
    other=st.lists(TRAITS, max_size=4),
    common=st.lists(TRAITS, max_size=3),
    pod_spec=pods(),
)
def test_nodes_that_look_alike_to_a_pod_give_it_one_answer(one, other, common, pod_spec):
    membership = Membership(Classes.of(CLASSES))
    pod = asks(CLASSES, *pod_spec["containers"], init=pod_spec["initContainers"])
    nodes = [a_node([*common, *own], membership) for own in (one, other)]
    if state_for(pod, nodes[0]) == state_for(pod, nodes[1]):
        assert answer(pod, nodes[0]) == answer(pod, nodes[1])


SHARES = [share(f"s{n}", f"{n}GiB", "a") for n in range(1, 5)]


# Here the search is cut off, and about one case in eight depends on the order in which it looks.
@settings(max_examples=80, deadline=None)
@given(chance=st.randoms(use_true_random=False))
def test_a_search_that_is_cut_off_ends_alike_on_nodes_that_are_alike(chance):
    membership = Membership(Classes.of(SHARES))
    traits = [("a", chance.randint(4, 9), "Available", {}, None) for _ in range(chance.randint(9, 11))]
    pod = asks(SHARES, *nearly_all(chance, sum(gib for _, gib, *_ in traits)))
    other = chance.sample(traits, len(traits))
    nodes = [a_node(own, membership) for own in (traits, other)]
    verdicts = [fits(pod, node) for node in nodes]
    assert verdicts[0] == verdicts[1]
    # What is promised is kept; the choice may also find devices where the verdict found none.
    assert verdicts[0] or all(isinstance(place(pod, node), Assignment) for node in nodes)


def nearly_all(chance, gib):
    """Yield containers whose shares together are what there is, or up to 2 GiB less."""
    left = gib - chance.randint(0, 2)
    while left > 0:
        units = min(chance.choice([1, 2, 3, 3, 4, 4]), left)
        left -= units
        yield container(f"c{left}", {f"s{units}": 1})


def test_what_a_node_carries_and_whether_it_is_sick_or_blocked_makes_a_difference():
    membership = Membership(Classes.of(CLASSES))
    base = ("a", 4, "Available", {}, None)
    nodes = [a_node([(*base[:4], taken)], membership) for taken in (None, "whole", 1, 2)]
    nodes += [a_node([(*base[:2], "Unhealthy", {}, None)], membership), a_node([], membership)]
    nodes += [a_node([base], membership, is_blocked=True), a_node([("a", 5, *base[2:])], membership)]
    nodes += [a_node([base], membership, strangers=[Strangers(1, 1)])]
    assert len({state_of(node) for node in nodes}) == len(nodes)
