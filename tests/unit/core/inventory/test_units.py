"""Units per node and class: what the devices could serve, and what pods keep them from falling below."""

import pytest

from tests.unit.core.placement.nodes import a_class, any_of, container, device, share, sidecar, spec
from webhook.core.inventory.holdings import NO_HOLDINGS, Held, Holder, Holdings
from webhook.core.inventory.units import ClassUnits, node_units
from webhook.core.placement.membership import Membership
from webhook.core.values.classes import Classes

HIGH_MEM = {"matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["10GiB"]}]}
CLASSES = [a_class("k80"), a_class("p100"), a_class("high", HIGH_MEM), share("sh", "2GiB")]


def pod(*main, init=(), phase="Running", **metadata):
    return {"metadata": metadata, "spec": spec(*main, init=init), "status": {"phase": phase}}


def units(devices, pods=(), classes=CLASSES, held=NO_HOLDINGS):
    own = Classes.of(classes)
    return node_units(devices, pods, own, Membership(own), held)


def shown(devices, pods=(), classes=CLASSES):
    return {name: (item.label, item.capacity) for name, item in units(devices, pods, classes).items()}


def test_overlapping_classes_count_each_for_itself():
    found = shown([device("GPU-0"), device("GPU-1"), device("GPU-2", "p100", 16276)])
    assert found == {"k80": (2, 2), "p100": (1, 1), "high": (3, 3), "sh": (10, 10)}


def test_shares_are_whole_ones_of_each_device():
    devices = [device("GPU-0", mib=5 * 1024), device("GPU-1", mib=3 * 1024), device("GPU-2", mib=1024)]
    assert shown(devices)["sh"] == (3, 3)


def test_sick_devices_do_not_count_and_the_class_stays_with_zero():
    found = shown([device("GPU-0", phase="Unhealthy")])
    assert found == {"k80": (0, 0), "high": (0, 0), "sh": (0, 0)}


def test_a_class_without_devices_and_pods_is_not_shown():
    assert shown([]) == {}


# kubernetes/kubernetes#125579: a kubelet that restarts kills the pods that its capacity no longer covers.
def test_capacity_never_falls_below_what_unfinished_pods_use():
    pods = [
        pod(container("c", {"k80": 1})),
        pod(container("c", {"k80": 2}), deletionTimestamp="2024-01-01T00:00:00Z"),
    ]
    assert units([device("GPU-0", phase="Unhealthy")], pods)["k80"] == ClassUnits(
        units=0, in_use=3, largest=2
    )
    assert shown([device("GPU-0", phase="Unhealthy")], pods)["k80"] == (2, 3)


def held_on(device_id, *allocations):
    """One pod, `a`, that holds a device through these (class, bytes)."""
    holders = [Holder("team", "a", "uid", f"c{n}", *item) for n, item in enumerate(allocations)]
    return Holdings({("node-a", device_id): Held(tuple(holders), (None,))})


# NVIDIA/k8s-device-plugin#234: the healthy device beside a sick one in use was not offered, or twice.
@pytest.mark.parametrize(
    "devices", [[device("GPU-0", phase="Unhealthy"), device("GPU-1")], [device("GPU-1")]]
)
def test_a_sick_device_in_use_takes_nothing_from_the_healthy_ones(devices):
    pods, held = [pod(container("c", {"k80": 1}))], held_on("GPU-0", ("k80", None))
    found = units(devices, pods, held=held)
    assert found["k80"] == ClassUnits(units=1, in_use=1, largest=1, stranded=1)
    assert (found["k80"].label, found["k80"].capacity) == (1, 2)
    # It is held through this class: another one of the same device has no use for it.
    assert found["high"].capacity == 1
    assert units([device("GPU-0"), device("GPU-1")], pods, held=held)["k80"].capacity == 2


def test_shares_on_a_sick_device_are_stranded_by_the_unit():
    pods = [pod(container("a", {"sh": 2}), container("b", {"sh": 1}))]
    held = held_on("GPU-0", ("sh", 4 << 30), ("sh", 2 << 30))
    found = units([device("GPU-0", phase="Unhealthy"), device("GPU-1", mib=2048)], pods, held=held)
    assert found["sh"] == ClassUnits(units=1, in_use=3, largest=2, stranded=3)
    assert found["sh"].capacity == 4


def test_no_more_is_stranded_than_is_in_use():
    pods = [pod(container("c", {"k80": 1}), init=[container("i", {"k80": 1})])]
    held = held_on("GPU-0", ("k80", None), ("k80", None))
    found = units([device("GPU-0", phase="Unhealthy")], pods, held=held)
    assert found["k80"].capacity == 1


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_finished_pods_use_nothing(phase):
    assert shown([], [pod(container("c", {"k80": 1}), phase=phase)]) == {}


def test_a_class_that_is_gone_stays_while_a_pod_uses_it():
    assert shown([], [pod(container("c", {"gone": 2}))]) == {"gone": (2, 2)}


def test_the_use_of_a_pod_is_its_effective_demand():
    init = [sidecar("s", {"k80": 1}), container("i", {"k80": 3})]
    assert shown([], [pod(container("c", {"k80": 1}), init=init)])["k80"] == (4, 4)


def test_the_label_of_a_share_need_only_reach_the_largest_container():
    found = shown([], [pod(container("a", {"sh": 2}), container("b", {"sh": 3}))])
    assert found["sh"] == (3, 5)


def test_two_objects_of_one_device_count_once_and_as_sick_if_either_says_so():
    twice = [device("GPU-0"), device("GPU-0")]
    assert shown(twice)["k80"] == (1, 1)
    sick = device("GPU-0", phase="Unhealthy")
    assert shown([sick, device("GPU-0")])["k80"] == shown([device("GPU-0"), sick])["k80"] == (0, 0)


def test_a_class_that_a_device_plugin_registers_is_marked():
    found = units([device("GPU-0")], classes=[any_of("ib", "k80", delivery="DevicePlugin")])
    assert found["ib"] == ClassUnits(units=1, is_registered=True)


# AliyunContainerService/gpushare-scheduler-extender#217, NVIDIA/gpu-feature-discovery#26: one size, many
# spellings.
@pytest.mark.parametrize(
    ("memory", "matches"),
    [
        ("2048MiB", False), ("10GiB", False), ("10240MiB", False), ("10241MiB", True), ("11441", True),
        ("10240", False), ("11GB", True), ("10.5GB", False), ("16Gi", True), ("80GB", True),
        ("42505273344", True), ("", False), ("n/a", False),
    ],
)  # fmt: skip
def test_a_threshold_of_memory_holds_for_every_spelling_of_a_size(memory, matches):
    base = device("GPU-0")
    odd = type(base)(base.name, base.node, base.device_id, {"model": "x", "memory": memory})
    assert ("high" in shown([odd, device("GPU-1", "p100", 1)])) is matches


# NVIDIA/k8s-device-plugin#514 and others: models with spaces, brackets and other separators.
@pytest.mark.parametrize(
    ("model", "matches"),
    [
        ("Tesla-K80", True),
        ("NVIDIA-Tesla-K80", True),
        ("Tesla K80", True),
        ("NVIDIA TITAN X (Pascal)", False),
    ],
)
def test_a_model_is_known_in_every_spelling_of_its_vendor(model, matches):
    classes = [a_class("k80", {"matchLabels": {"model": "NVIDIA Tesla K80"}})]
    assert ("k80" in shown([device("GPU-0", model)], classes=classes)) is matches
