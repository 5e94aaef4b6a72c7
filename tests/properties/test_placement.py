"""Placement on small nodes, held to an oracle that tries every choice of devices."""

from functools import reduce
from itertools import chain, combinations, product
from operator import or_

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
from webhook.core.placement.matching import match
from webhook.core.placement.node import Room, loaded
from webhook.core.placement.packing import Order, Want, pack
from webhook.core.placement.place import Assignment, fits, place
from webhook.core.placement.score import MAX_SCORE, score
from webhook.core.placement.uses import Use, uses_of
from webhook.core.placement.victims import Holder, victims

UNITS_MIB = 1024
WHOLE = [a_class("a"), a_class("b"), any_of("ab", "a", "b"), any_of("bc", "b", "c")]
SHARES = [
    share("sa", "1GiB", "a"),
    {**any_of("sab", "a", "b"), "spec": {**any_of("sab", "a", "b")["spec"], "share": {"memory": "1GiB"}}},
    any_of("spread", "a", "b", "c", share={"memory": "1GiB"}, placement="Spread"),
]
CLASSES = WHOLE + SHARES
SHARE_NAMES = frozenset({"sa", "sab", "spread"})


@st.composite
def nodes(draw, most=4):
    count = draw(st.integers(0, most))
    devices = [
        device(
            f"GPU-{n}",
            draw(st.sampled_from("abc")),
            draw(st.integers(1, 5)) * UNITS_MIB,
            draw(st.sampled_from(["Available", "Bound", "Available", "Unhealthy"])),
            **draw(st.sampled_from([{}, {"numaNode": "0"}, {"numaNode": "1"}])),
        )
        for n in range(count)
    ]
    taken = st.sampled_from([None, None, None, Use("x"), Use("x", 1), Use("x", 2 << 30)])
    uses = [(n, use) for n in range(count) if (use := draw(taken)) is not None]
    return node(devices, CLASSES, [Use(f"GPU-{n}", use.memory_bytes) for n, use in uses])


NAMES = st.sampled_from(["a", "b", "ab", "bc", "sa", "sab", "spread"])
AMOUNTS = st.dictionaries(NAMES, st.integers(0, 3), max_size=2)


@st.composite
def pods(draw):
    main = [container(f"m{n}", draw(AMOUNTS)) for n in range(draw(st.integers(0, 2)))]
    make = st.sampled_from([container, sidecar])
    init = [draw(make)(f"i{n}", draw(AMOUNTS)) for n in range(draw(st.integers(0, 2)))]
    return spec(*main, init=init)


def wants_of(pod_spec):
    """Yield (container number, class, units or share units) and the moments, from the spec alone."""
    wants, staying, steps = [], [], []
    for item in chain(pod_spec["initContainers"], pod_spec["containers"]):
        own = []
        for key, value in item["resources"]["limits"].items():
            if int(value):
                own.append(len(wants))
                wants.append((key.split("/")[1], int(value)))
        if item["name"].startswith("i") and "restartPolicy" not in item:
            steps.append([*staying, *own])
        else:
            staying += own
    return wants, [staying, *steps]


def options(want, on):
    """Return the sets of devices (ids) that a want could have on its own."""
    name, units = want
    ids = [
        on.devices.devices[n]
        for n in range(len(on.devices.devices))
        if on.devices.serving.get(name, 0) >> n & 1
    ]
    ids = [item.device_id for item in ids if item.is_healthy]
    return [(one,) for one in ids] if name in SHARE_NAMES else list(combinations(ids, units))


def is_sound(wants, moments, choice, on):
    """Whether a choice of devices, one set per want, takes more of no device than is left, at any moment."""
    left = {
        item.device_id: (item.memory_bytes - used, not used and not on.whole >> n & 1)
        for n, (item, used) in enumerate(zip(on.devices.devices, on.used_bytes, strict=True))
    }
    for moment in moments:
        wholes = [one for n in moment if wants[n][0] not in SHARE_NAMES for one in choice[n]]
        taken = {}
        for n in moment:
            if wants[n][0] in SHARE_NAMES:
                taken[choice[n][0]] = taken.get(choice[n][0], 0) + wants[n][1] * UNITS_MIB * 1024 * 1024
        if len(set(wholes)) < len(wholes) or set(wholes) & set(taken):
            return False
        if not all(left[one][1] for one in wholes):
            return False
        if any(
            on.whole >> on.devices.index[one] & 1 or left[one][0] < amount for one, amount in taken.items()
        ):
            return False
    return True


def oracle(pod_spec, on):
    wants, moments = wants_of(pod_spec)
    return any(
        is_sound(wants, moments, choice, on) for choice in product(*(options(want, on) for want in wants))
    )


def choice_of(assignment, on):
    return [
        tuple(item.device_id for n, item in enumerate(on.devices.devices) if grant.devices >> n & 1)
        for grant in assignment.grants
    ]


@settings(max_examples=600, deadline=None)
@given(on=nodes(), pod_spec=pods())
def test_a_placement_is_found_exactly_when_one_exists_and_is_sound(on, pod_spec):
    pod = asks(CLASSES, *pod_spec["containers"], init=pod_spec["initContainers"])
    found, refusal = place(pod, on), fits(pod, on)
    assert (refusal is None) == oracle(pod_spec, on)
    if refusal is not None:
        assert found == refusal
        assert refusal.text
        return
    wants, _ = wants_of(pod_spec)
    # The product sorts the classes of a container, the spec keeps them as written.
    names = [(grant.request.class_name, grant.request.units) for grant in found.grants]
    assert sorted(names) == sorted(wants)
    asked = [(request.class_name, request.units) for request in pod.requests]
    assert is_sound(asked, pod.moments, choice_of(found, on), on)
    for (name, units), chosen in zip(asked, choice_of(found, on), strict=True):
        assert set(chosen) <= {one for option in options((name, units), on) for one in option}
        assert len(chosen) == (1 if name in SHARE_NAMES else units)


def taken_by(on):
    return [
        Use(item.device_id, None if on.whole >> n & 1 else used)
        for n, (item, used) in enumerate(zip(on.devices.devices, on.used_bytes, strict=True))
        if used or on.whole >> n & 1
    ]


@settings(max_examples=200, deadline=None)
@given(on=nodes(), pod_spec=pods())
def test_what_a_placement_takes_never_over_commits_a_device(on, pod_spec):
    found = place(asks(CLASSES, *pod_spec["containers"], init=pod_spec["initContainers"]), on)
    if isinstance(found, Assignment):
        uses = taken_by(on) + list(uses_of(found.record(on), pod_spec))
        assert loaded(on.devices, uses).conflicts == on.conflicts
        assert 0 <= score(on, found) <= MAX_SCORE


@st.composite
def packings(draw):
    """Up to eight devices and eight shares, of sizes that often just do or just do not fit."""
    count = draw(st.integers(1, 8))
    left = tuple(draw(st.lists(st.integers(0, 12), min_size=count, max_size=count)))
    sets = st.integers(0, (1 << count) - 1) | st.just((1 << count) - 1)
    shares = [Want(draw(sets), 1, draw(st.integers(1, 8))) for _ in range(draw(st.integers(0, 8)))]
    wholes = [Want(draw(sets), draw(st.integers(1, 2))) for _ in range(draw(st.integers(0, 2)))]
    return shares + wholes, Room(draw(sets), left)


def packs(wants, room):
    """Fill one device after the other with every subset of the shares that are left; say whether all fit."""
    shares = [want for want in wants if want.memory_bytes is not None]
    wholes = [want for want in wants if want.memory_bytes is None]
    states = {(0, 0)}  # shares placed, devices used by them
    for device_index, left in enumerate(room.left):
        own = [n for n, want in enumerate(shares) if want.devices >> device_index & 1]
        sets = [
            reduce(or_, (1 << n for n in chosen), 0)
            for size in range(len(own) + 1)
            for chosen in combinations(own, size)
            if sum(shares[n].memory_bytes for n in chosen) <= left
        ]
        states |= {
            (placed | more, used | 1 << device_index)
            for placed, used in states
            for more in sets
            if more and not placed & more
        }
    everything = (1 << len(shares)) - 1
    return any(placed == everything and _hall(wholes, room.empty & ~used) for placed, used in states)


def _hall(wholes, free):
    """Hall's condition: every group of requests has enough devices together."""
    return all(
        (reduce(or_, (want.devices for want in group), 0) & free).bit_count()
        >= sum(want.units for want in group)
        for size in range(1, len(wholes) + 1)
        for group in combinations(wholes, size)
    )


@settings(max_examples=300, deadline=None)
@given(packings())
def test_shares_are_packed_exactly_up_to_eight_on_eight(problem):
    wants, room = problem
    found = pack(wants, room, Order(range(len(room.left))))
    assert (found is not None) == packs(wants, room)
    if found is None:
        return
    left, empty = list(room.left), room.empty
    for want, devices in zip(wants, found, strict=True):
        assert devices & ~want.devices == 0
        assert devices.bit_count() == want.units
        if want.memory_bytes is not None:
            left[devices.bit_length() - 1] -= want.memory_bytes
            empty &= ~devices
    assert min(left) >= 0
    for want, devices in zip(wants, found, strict=True):
        if want.memory_bytes is None:
            assert devices & ~empty == 0
            empty &= ~devices


@given(
    st.lists(st.tuples(st.integers(0, 255), st.integers(0, 3)), max_size=5),
    st.permutations(range(8)),
)
def test_a_matching_exists_as_hall_says_and_takes_the_preferred_devices(wants, order):
    found = match(wants, order)
    wholes = [Want(devices, units) for devices, units in wants]
    assert (found is not None) == _hall(wholes, 255)
    if found is None:
        return
    taken = reduce(or_, found, 0)
    assert taken.bit_count() == sum(units for _, units in wants)
    rank = {device_index: position for position, device_index in enumerate(order)}

    def cost(devices):
        return sorted(rank[n] for n in range(8) if devices >> n & 1)

    best = min(
        (sum(1 << n for n in chosen) for chosen in combinations(range(8), taken.bit_count())
         if _can_be_all(wholes, sum(1 << n for n in chosen))),
        key=cost,
    )  # fmt: skip
    assert cost(taken) == cost(best)


def _can_be_all(wholes, free):
    return free.bit_count() == sum(want.units for want in wholes) and _hall(wholes, free)


@st.composite
def preemptions(draw):
    on = draw(nodes())
    ids = [item.device_id for item in on.devices.devices]
    holders = []
    for n in range(draw(st.integers(0, 5))):
        chosen = draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)) if ids else []
        amount = draw(st.sampled_from([None, None, 1 << 30]))
        holders.append(Holder(f"p{n}", tuple(Use(one, amount) for one in chosen)))
    return on.devices, holders


@settings(max_examples=300, deadline=None)
@given(preemptions(), pods())
def test_victims_free_enough_and_are_as_few_as_can_be(case, pod_spec):
    devices, holders = case
    pod = asks(CLASSES, *pod_spec["containers"], init=pod_spec["initContainers"])
    staying, candidates = holders[:1], holders[1:]

    def is_enough(gone):
        stay = [use for item in holders if item not in gone for use in item.uses]
        return fits(pod, loaded(devices, stay)) is None

    found = victims(pod, devices, [use for item in staying for use in item.uses], candidates)
    enough = [
        gone
        for size in range(len(candidates) + 1)
        for gone in combinations(candidates, size)
        if is_enough(gone)
    ]
    if found is None:
        assert enough == []
        return
    assert is_enough(found)
    assert len(found) == len(enough[0])
    latest = [max((candidates.index(item) for item in gone), default=-1) for gone in (found, *enough)]
    sizes = [len(found), *(len(gone) for gone in enough)]
    assert latest[0] == min(last for last, size in zip(latest, sizes, strict=True) if size == len(found))
