"""Devices that pods use without asking for a class."""

import pytest

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
from webhook.core.placement.place import fits, place
from webhook.core.placement.strangers import plain_units
from webhook.core.placement.uses import Use

GPU = "nvidia.com/gpu"
CLASSES = [
    a_class("k80"),
    a_class("p100"),
    a_class("mi50"),
    any_of("any", "k80", "p100", "mi50"),
    share("sh", "1GiB"),
]


def gpu(device_id, model="k80", raw=GPU):
    plain = device(device_id, model)
    return type(plain)(
        plain.name, plain.node, plain.device_id, plain.properties, plain.memory_bytes, raw_resource=raw
    )


DEVICES = [gpu("GPU-0"), gpu("GPU-1"), gpu("GPU-2", "p100"), gpu("GPU-3", "mi50", "amd.com/gpu")]


def refused(amounts, plain, uses=()):
    pod = asks(CLASSES, *(container(f"c{n}", asked) for n, asked in enumerate(amounts)))
    on = node(DEVICES, CLASSES, uses, plain=plain)
    refusal = fits(pod, on)
    assert (place(pod, on) == refusal) == (refusal is not None)
    return refusal and refusal.text


@pytest.mark.parametrize(
    ("amounts", "plain", "expected"),
    [
        ([{"k80": 1}], 1, True), ([{"k80": 2}], 1, False), ([{"k80": 1}], 2, False),
        ([{"p100": 1}], 1, False), ([{"mi50": 1}], 3, True),
        ([{"any": 3}], 1, True), ([{"any": 4}], 1, False), ([{"any": 1}], 9, True),
        ([{"k80": 1}, {"any": 2}], 1, True), ([{"k80": 1}, {"any": 3}], 1, False),
        ([{"sh": 1}], 1, True), ([{"sh": 1}], 2, False),
    ],
)  # fmt: skip
def test_a_stranger_costs_one_device_of_every_class_that_it_could_be(amounts, plain, expected):
    assert (refused(amounts, {GPU: plain}) is None) is expected


def test_strangers_of_two_vendors_add_up():
    assert refused([{"any": 2}], {GPU: 1, "amd.com/gpu": 1}) is None
    assert refused([{"any": 3}], {GPU: 1, "amd.com/gpu": 1}) is not None


def test_a_device_that_is_taken_anyway_is_not_lost_to_a_stranger_too():
    uses = [Use("GPU-0"), Use("GPU-1"), Use("GPU-2")]
    assert refused([{"any": 1}], {GPU: 3}, uses) is None


def test_strangers_are_counted_apart_in_the_reason():
    assert refused([{"k80": 2}], {GPU: 1}) == "k80 needs 2 devices: 1 free, 1 in use without a class"
    assert refused([{"k80": 1}], {GPU: 5}) == "k80 needs 1 device: 2 in use without a class"


def test_strangers_of_other_resources_and_none_cost_nothing():
    assert refused([{"k80": 2}], {"xilinx.com/fpga": 3, GPU: 0}) is None


def test_an_init_container_too_leaves_room_for_strangers():
    on = node(DEVICES, CLASSES, plain={GPU: 1})
    init = [sidecar("s", {"k80": 1}), container("i", {"p100": 1})]
    assert fits(asks(CLASSES, init=init), on) is not None


def plain(name, amount, field="limits", **more):
    return {"name": name, "resources": {field: {GPU: amount}}, **more}


@pytest.mark.parametrize(
    ("pod_spec", "expected"),
    [
        (spec(plain("a", "2"), plain("b", 1, "requests")), {GPU: 3}),
        (spec(plain("a", 1), init=[plain("i", 4)]), {GPU: 4}),
        (spec(plain("a", 1), init=[plain("s", 1, restartPolicy="Always"), plain("i", 2)]), {GPU: 3}),
        (spec(plain("a", 0), plain("b", "half")), {}),
        (spec(container("a", {"k80": 1})), {}),
        (None, {}),
    ],
)
def test_plain_devices_of_a_pod_are_counted_as_the_scheduler_counts_them(pod_spec, expected):
    assert plain_units({"spec": pod_spec}, [GPU]) == expected
