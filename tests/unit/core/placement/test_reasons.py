"""Why a node cannot serve a pod: texts that name causes and counts, and are alike on nodes that are alike."""

import pytest

from tests.unit.core.placement.nodes import (
    GIB,
    a_class,
    any_of,
    asks,
    container,
    device,
    node,
    share,
    sidecar,
)
from webhook.core.placement.place import fits, place
from webhook.core.placement.reasons import Cause, size_text
from webhook.core.placement.requests import REQUESTS_MAX, pod_requests
from webhook.core.placement.uses import Use
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand

CLASSES = [
    a_class("k80"),
    a_class("p100"),
    any_of("any", "k80", "p100"),
    share("sh", "2GiB"),
    share("sh8", "8GiB"),
]


def refusal(on, *main, init=()):
    pod = asks(CLASSES, *main, init=init)
    found = fits(pod, on)
    assert place(pod, on) == found
    return found


def k80s(*phases, uses=(), mib=11441):
    return node([device(f"GPU-{n}", phase=phase, mib=mib) for n, phase in enumerate(phases)], CLASSES, uses)


# NVIDIA/k8s-device-plugin#234: a sick card beside one in use.
def test_sick_devices_are_told_from_those_in_use():
    on = k80s("Available", "Unhealthy", uses=[Use("GPU-0")])
    found = refusal(on, container("c", {"k80": 1}))
    assert found.text == "k80 needs 1 device: 1 in use, 1 unhealthy"
    assert found.shortages[0].causes == {Cause.IN_USE: 1, Cause.UNHEALTHY: 1}


def test_a_device_that_is_sick_and_in_use_is_called_sick():
    found = refusal(k80s("Unhealthy", uses=[Use("GPU-0")]), container("c", {"k80": 1}))
    assert found.text == "k80 needs 1 device: 1 unhealthy"


def test_free_devices_that_are_too_few_are_counted():
    found = refusal(k80s("Bound", "Available", uses=[Use("GPU-0", GIB)]), container("c", {"k80": 2}))
    assert found.text == "k80 needs 2 devices: 1 free, 1 in use by shares"


def test_a_node_without_devices_of_the_class_says_so():
    assert refusal(node([], CLASSES), container("c", {"p100": 3})).text == (
        "p100 needs 3 devices: no device of the class"
    )


def test_every_class_that_falls_short_is_named():
    found = refusal(node([], CLASSES), container("c", {"p100": 1}), container("d", {"k80": 1}))
    assert (
        found.text
        == "k80 needs 1 device: no device of the class; p100 needs 1 device: no device of the class"
    )


def test_the_need_is_that_of_the_moment_that_needs_most():
    init = [sidecar("s", {"k80": 1}), container("i", {"k80": 3})]
    found = refusal(k80s("Available"), container("c", {"k80": 1}), init=init)
    assert found.text == "k80 needs 4 devices: 1 free"


def test_a_share_says_why_each_device_cannot_hold_it():
    devices = [
        device("GPU-0"),
        device("GPU-1"),
        device("GPU-2", mib=1024),
        device("GPU-3", phase="Unhealthy"),
    ]
    bare = type(devices[0])("node-a-gpu-4", "node-a", "GPU-4", {"model": "k80"})
    on = node([*devices, bare], CLASSES, [Use("GPU-0"), Use("GPU-1", 10 * GIB)])
    assert refusal(on, container("c", {"sh": 1})).text == (
        "sh needs 2 GiB of one device: 1 in use, 1 too full, 1 too small, 1 of unknown memory, 1 unhealthy"
    )


def test_shares_that_do_not_fit_together_are_told_as_pieces():
    found = refusal(k80s("Available"), container("a", {"sh8": 1}), container("b", {"sh8": 1}))
    assert found.text == "sh8 needs 16 GiB in 2 pieces of up to 8 GiB: 1 free"


def test_classes_that_need_the_same_devices_are_named_together():
    found = refusal(k80s("Available"), container("a", {"k80": 1}), container("b", {"any": 1}))
    assert found.text == "any and k80 fit alone but not together: they need the same devices"
    assert found.shortages == ()


def test_a_damaged_record_blocks_its_node():
    on = node([device("GPU-0")], CLASSES, is_blocked=True)
    assert refusal(on, container("c", {"k80": 1})).text == (
        "the devices in use are not known: a pod's record of devices is damaged"
    )


def test_a_class_that_is_gone_is_named():
    pod = pod_requests(demand({"containers": [container("c", {"gone": 1, "k80": 1})]}), Classes.of(CLASSES))
    assert fits(pod, k80s("Available")).text == "class gone does not exist or cannot be read"


def test_a_pod_of_too_many_requests_is_refused():
    many = [container(f"c{n}", {"sh": 1}) for n in range(REQUESTS_MAX + 1)]
    assert refusal(k80s("Available"), *many).text == "the pod asks for devices in too many containers"


def test_nodes_in_the_same_state_give_the_same_text_whatever_their_devices_are_called():
    one = node([device("A"), device("B", phase="Unhealthy")], CLASSES, [Use("A")])
    two = node([device("Z", phase="Unhealthy"), device("Y")], CLASSES, [Use("Y")])
    asked = container("c", {"k80": 1})
    assert refusal(one, asked) == refusal(two, asked)


@pytest.mark.parametrize(
    ("memory_bytes", "text"),
    [
        (2 << 40, "2 TiB"),
        (10 << 30, "10 GiB"),
        (2000 << 20, "2000 MiB"),
        (3 << 10, "3 KiB"),
        (1025, "1025 bytes"),
    ],
)
def test_sizes_are_written_exactly(memory_bytes, text):
    assert size_text(memory_bytes) == text
