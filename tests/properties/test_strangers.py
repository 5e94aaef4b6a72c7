"""Placement beside pods that hold devices nobody knows, held to an oracle that tries wherever they may be."""

from functools import reduce
from itertools import combinations
from operator import or_

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.test_placement import CLASSES, nodes, oracle, pods, taken_by
from tests.unit.core.placement.nodes import a_class, asks, container, device, node
from webhook.core.placement.bits import bits, mask_of
from webhook.core.placement.node import Strangers, loaded
from webhook.core.placement.place import fits, place
from webhook.core.placement.uses import Use


@st.composite
def strangers(draw, devices):
    everything = (1 << len(devices.devices)) - 1
    sets = st.integers(0, everything) | st.just(everything)
    return [Strangers(draw(sets), draw(st.integers(0, 3))) for _ in range(draw(st.integers(1, 3)))]


def places(unknown, empty):
    """Yield every set of empty devices that these strangers may hold, each device held by one of them."""
    if not unknown:
        yield 0
        return
    first, *rest = unknown
    own = bits(first.devices & empty)
    for count in range(min(first.units, len(own)) + 1):
        for chosen in combinations(own, count):
            taken = mask_of(chosen)
            yield from (taken | others for others in places(rest, empty & ~taken))


@settings(max_examples=400, deadline=None)
@given(st.data(), nodes(), pods())
def test_a_pod_fits_beside_strangers_exactly_if_it_fits_wherever_they_are(data, clear, pod_spec):
    unknown = data.draw(strangers(clear.devices))
    pod = asks(CLASSES, *pod_spec["containers"], init=pod_spec["initContainers"])
    uses, everywhere = taken_by(clear), set(places(unknown, clear.room.empty))

    def beside(taken):
        held = [Use(item.device_id) for n, item in enumerate(clear.devices.devices) if taken >> n & 1]
        return loaded(clear.devices, [*uses, *held])

    on = loaded(clear.devices, uses, strangers=unknown)
    found, refusal = place(pod, on), fits(pod, on)
    assert (refusal is None) == all(oracle(pod_spec, beside(taken)) for taken in everywhere)
    if refusal is not None:
        assert found == refusal
        return
    given_away = reduce(or_, (grant.devices for grant in found.grants), 0)
    most_held = max(taken.bit_count() for taken in everywhere)
    assert any(not taken & given_away for taken in everywhere if taken.bit_count() == most_held)


def test_too_many_places_of_strangers_are_judged_by_the_worst_of_each_kind():
    models = [chr(ord("a") + n) for n in range(8)]
    classes = [a_class(model) for model in models]
    devices = [device(f"GPU-{model}{n}", model) for model in models for n in range(3)]
    on = node(devices, classes, strangers=[Strangers((1 << len(devices)) - 1, 2)])
    assert fits(asks(classes, *(container(model, {model: 1}) for model in models)), on) is None
    assert fits(asks(classes, *(container(model, {model: 2}) for model in models)), on) is not None
