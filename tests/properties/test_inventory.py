"""The inventory of a node, held to what an empty node can really serve and to what its pods use."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.core.placement.nodes import (
    a_class,
    any_of,
    asks,
    container,
    device,
    node,
    share,
    sidecar,
    spec,
)
from webhook.core.inventory.changes import node_changes
from webhook.core.inventory.units import node_units
from webhook.core.placement.membership import Membership
from webhook.core.placement.place import fits
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand

CLASSES = [
    a_class("a"),
    a_class("b"),
    any_of("ab", "a", "b"),
    a_class("big", {"matchExpressions": [{"key": "memory", "operator": "Ge", "values": ["4GiB"]}]}),
    share("s2", "2GiB", "a"),
    any_of("s3", "a", "b", share={"memory": "3GiB"}),
]
KNOWN = Classes.of(CLASSES)
MEMBERSHIP = Membership(KNOWN)
NAMES = [*KNOWN.names, "gone"]
PHASES = ["Available", "Bound", "Unhealthy"]


@st.composite
def devices(draw):
    return [
        device(
            f"GPU-{n}",
            draw(st.sampled_from("abc")),
            draw(st.integers(1, 9)) * 1024,
            draw(st.sampled_from(PHASES)),
        )
        for n in range(draw(st.integers(0, 5)))
    ]


AMOUNTS = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), max_size=2)


@st.composite
def pods(draw):
    make = draw(st.sampled_from([container, sidecar]))
    pod_spec = spec(
        *(container(f"m{n}", draw(AMOUNTS)) for n in range(draw(st.integers(0, 2)))),
        init=[make("i", draw(AMOUNTS))],
    )
    return {
        "spec": pod_spec,
        "status": {"phase": draw(st.sampled_from(["Running", "Pending", "Succeeded", None]))},
    }


def served_by_the_empty_node(name, own):
    """Count one unit after the other: as whole devices of one pod, or as shares of one container each."""
    count = 0
    on = node(own, CLASSES)
    while True:
        more = [container(f"c{n}", {name: 1}) for n in range(count + 1)]
        if fits(asks(CLASSES, *more), on) is not None:
            return count
        count += 1


@settings(max_examples=150, deadline=None)
@given(devices())
def test_the_units_are_what_placement_can_serve_on_the_empty_node(own):
    found = node_units(own, [], KNOWN, MEMBERSHIP)
    for name in KNOWN.names:
        assert served_by_the_empty_node(name, own) == (found[name].units if name in found else 0)
        matching = [item for item in own if KNOWN.get(name).selector.matches(item.properties)]
        assert (name in found) == bool(matching)


@given(devices(), st.lists(pods(), max_size=4))
def test_label_and_capacity_never_fall_below_what_unfinished_pods_need(own, running):
    found = node_units(own, running, KNOWN, MEMBERSHIP)
    alive = [demand(pod["spec"]) for pod in running if pod["status"]["phase"] != "Succeeded"]
    empty = node_units(own, [], KNOWN, MEMBERSHIP)
    for name in NAMES:
        used = sum(asked.units.get(name, 0) for asked in alive)
        units = empty[name].units if name in empty else 0
        if name not in found:
            assert used == units == 0
            continue
        assert found[name].capacity == max(units, used)
        is_share = name in KNOWN and KNOWN.get(name).is_share
        needs = [(asked.largest if is_share else asked.units).get(name, 0) for asked in alive]
        assert found[name].label == max([units, *needs])


@given(devices(), st.lists(pods(), max_size=3), devices())
def test_changes_once_made_leave_nothing_to_change(before, running, after):
    document = {"metadata": {"labels": {}}, "status": {"capacity": {}, "allocatable": {}}}
    for own in (before, after):
        units = node_units(own, running, KNOWN, MEMBERSHIP)
        changes = node_changes(document, units)
        for target, part in (
            (document["metadata"]["labels"], changes.labels),
            (document["status"]["capacity"], changes.capacity),
            (document["status"]["allocatable"], changes.allocatable),
        ):
            target.update(part)
            for key in [key for key, value in target.items() if value is None]:
                del target[key]
        assert not node_changes(document, units)
        assert len(document["metadata"]["labels"]) == len(units)
