"""Whole devices: which ones a pod gets, over overlapping classes, init containers and sidecars."""

import pytest

from tests.unit.core.placement.nodes import (
    a_class,
    any_of,
    asks,
    container,
    device,
    devices_of,
    node,
    sidecar,
)
from webhook.core.placement.place import Assignment, fits, place
from webhook.core.placement.uses import Use

HIGH_MEM = {"matchExpressions": [{"key": "memory", "operator": "Gt", "values": ["10GiB"]}]}
CLASSES = [a_class("k80"), a_class("p100"), a_class("high", HIGH_MEM)]
K80, P100 = device("GPU-0"), device("GPU-1", "p100", 16276)
BOTH = node([K80, P100], CLASSES)


def placed(on, *main, init=(), classes=CLASSES):
    return devices_of(place(asks(classes, *main, init=init), on), on)


# Project-HAMi/HAMi#571, #3079, #2335, #991: a container without devices between two with them.
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("prep", [{}, {"k80": 1}])
def test_devices_follow_the_name_of_the_container_not_its_position(reverse, prep):
    main = [
        container("log"),
        container("train", {"k80": 1}),
        container("shim"),
        container("infer", {"p100": 1}),
    ]
    found = placed(BOTH, *(main[::-1] if reverse else main), init=[container("prep", prep)])
    assert found.pop("prep", ("GPU-0",)) == ("GPU-0",)
    assert found == {"train": ("GPU-0",), "infer": ("GPU-1",)}


@pytest.mark.parametrize("order", [("high", "k80"), ("k80", "high")])
def test_overlapping_classes_are_served_without_greed(order):
    found = placed(BOTH, *(container(name, {name: 1}) for name in order))
    assert found == {"high": ("GPU-1",), "k80": ("GPU-0",)}


def test_several_classes_in_one_container_get_devices_of_their_own():
    assert placed(BOTH, container("c", {"high": 1, "p100": 1})) == {"c": ("GPU-0", "GPU-1")}


def test_a_pod_that_asks_for_nothing_fits_everywhere_and_gets_nothing():
    for on in (BOTH, node([], CLASSES), node([K80], CLASSES, is_blocked=True)):
        assert fits(asks(CLASSES, container("c", {"k80": 0})), on) is None
        assert place(asks(CLASSES, container("c")), on) == Assignment(())


def test_init_containers_one_after_the_other_use_one_device():
    steps = [container("one", {"k80": 1}), container("two", {"k80": 1})]
    assert placed(node([K80], CLASSES), container("main", {"k80": 1}), init=steps) == {
        "one": ("GPU-0",),
        "two": ("GPU-0",),
        "main": ("GPU-0",),
    }


def test_a_main_container_takes_the_device_that_its_init_container_needs():
    found = placed(BOTH, container("main", {"high": 1}), init=[container("prep", {"p100": 1})])
    assert found == {"main": ("GPU-1",), "prep": ("GPU-1",)}


def test_an_init_container_takes_what_the_pod_holds_anyway():
    found = placed(BOTH, container("main", {"p100": 1}), init=[container("prep", {"high": 1})])
    assert found == {"main": ("GPU-1",), "prep": ("GPU-1",)}


def test_a_sidecar_keeps_its_device_from_everything_after_it():
    pod = asks(CLASSES, container("main", {"k80": 1}), init=[sidecar("proxy", {"k80": 1})])
    assert fits(pod, node([K80], CLASSES)) is not None
    found = placed(
        node([K80, device("GPU-2")], CLASSES), container("main", {"k80": 1}), init=[sidecar("s", {"k80": 1})]
    )
    assert found["main"] != found["s"]


def test_an_init_container_before_a_sidecar_lends_it_the_device():
    init = [container("prep", {"k80": 1}), sidecar("proxy", {"k80": 1})]
    assert placed(node([K80], CLASSES), init=init) == {"prep": ("GPU-0",), "proxy": ("GPU-0",)}


def test_a_sidecar_leaves_the_device_that_a_later_init_container_must_have():
    init = [sidecar("proxy", {"high": 1}), container("prep", {"k80": 1})]
    assert placed(BOTH, init=init) == {"proxy": ("GPU-1",), "prep": ("GPU-0",)}


def test_a_sidecar_tells_devices_of_one_size_apart_by_who_needs_them():
    classes = [a_class("a"), a_class("b"), any_of("ab", "a", "b")]
    init = [sidecar("proxy", {"ab": 1}), container("prep", {"a": 1})]
    found = placed(node([device("GPU-0", "a"), device("GPU-1", "b")], classes), init=init, classes=classes)
    assert found == {"proxy": ("GPU-1",), "prep": ("GPU-0",)}


def test_a_choice_among_many_sidecars_ends():
    # The last sidecar must have GPU-0 while prep runs and GPU-1 afterwards; ten others come in 8^10 ways.
    classes = [a_class("a"), a_class("b"), any_of("ab", "a", "b", share={"memory": "1GiB"})]
    classes.append(
        a_class(
            "sh", {"matchExpressions": [{"key": "model", "operator": "Exists"}]}, share={"memory": "1GiB"}
        )
    )
    others = [device(f"GPU-{n}", f"model-{n}", mib=(20 + n) * 1024) for n in range(2, 10)]
    on = node([device("GPU-0", "a"), device("GPU-1", "b"), *others], classes)
    init = [*(sidecar(f"s{n}", {"sh": 1}) for n in range(10)), sidecar("torn", {"ab": 1})]
    torn = [*init, container("prep", {"b": 1})]
    assert fits(asks(classes, container("c", {"a": 1}), init=torn), on) is not None
    assert fits(asks(classes, container("c", {"b": 1}), init=torn), on) is None


def test_sidecars_that_share_find_devices_beside_whole_ones():
    classes = [a_class("k80"), any_of("sh", "k80", share={"memory": "6GiB"})]
    on = node([device(f"GPU-{n}") for n in range(3)], classes)
    init = [sidecar("one", {"sh": 1}), container("prep", {"k80": 2}), sidecar("two", {"sh": 1})]
    assert fits(asks(classes, container("c", {"k80": 1}), init=init), on) is None
    assert fits(asks(classes, container("c", {"k80": 2}), init=init), on) is not None


def test_sick_and_taken_devices_are_never_given():
    sick = device("GPU-2", phase="Unhealthy")
    on = node([K80, sick, device("GPU-3"), device("GPU-4")], CLASSES, [Use("GPU-0"), Use("GPU-3", 1)])
    assert placed(on, container("c", {"k80": 1})) == {"c": ("GPU-4",)}
    assert fits(asks(CLASSES, container("c", {"k80": 2})), on) is not None


def test_a_pod_that_fits_anywhere_leaves_the_device_of_a_special_class():
    classes = [a_class("k80"), a_class("p100"), any_of("any", "k80", "p100")]
    on = node([device("GPU-0", "p100"), *(device(f"GPU-{n}") for n in (1, 2))], classes)
    assert placed(on, container("c", {"any": 2}), classes=classes) == {"c": ("GPU-1", "GPU-2")}


def test_of_equally_special_devices_the_smaller_one_is_given():
    assert placed(BOTH, container("c", {"high": 1})) == {"c": ("GPU-0",)}


def test_a_container_with_several_devices_stays_in_one_numa_node():
    devices = [device(f"GPU-{n}", numaNode=str(n % 2)) for n in range(6)]
    on = node(devices, CLASSES, [Use("GPU-0")])
    assert placed(on, container("c", {"k80": 2})) == {"c": ("GPU-2", "GPU-4")}
    assert placed(on, container("c", {"k80": 3})) == {"c": ("GPU-1", "GPU-3", "GPU-5")}
    assert len(placed(on, container("c", {"k80": 4}))["c"]) == 4


def test_a_pcie_root_is_closer_than_a_numa_node():
    devices = [device(f"GPU-{n}", numaNode="0", pcieRoot=f"pci{n % 2}") for n in range(4)]
    assert placed(node(devices, CLASSES), container("c", {"k80": 2})) == {"c": ("GPU-0", "GPU-2")}


def test_a_pcie_root_with_much_room_is_closer_than_a_fuller_numa_node():
    roots = [device(f"GPU-{n}", numaNode="0", pcieRoot="pci0") for n in range(4)]
    numa = [device(f"GPU-{n}", numaNode="1") for n in (4, 5)]
    assert placed(node([*roots, *numa], CLASSES), container("c", {"k80": 2})) == {"c": ("GPU-0", "GPU-1")}


def test_two_containers_of_several_devices_each_have_a_numa_node():
    devices = [device(f"GPU-{n}", numaNode=str(n % 2)) for n in range(4)]
    found = placed(node(devices, CLASSES), container("a", {"k80": 2}), container("b", {"k80": 2}))
    assert found == {"a": ("GPU-0", "GPU-2"), "b": ("GPU-1", "GPU-3")}


def test_a_single_device_is_taken_where_others_are_in_use_already():
    devices = [device(f"GPU-{n}", numaNode=str(n // 2)) for n in range(4)]
    assert placed(node(devices, CLASSES, [Use("GPU-2")]), container("c", {"k80": 1})) == {"c": ("GPU-3",)}


# Project-HAMi/HAMi-core#137: H20 and H200, A10 and A10G and A100 are different models.
def test_only_the_exact_model_serves_a_class():
    classes = [a_class("h20", {"matchLabels": {"model": "NVIDIA H20"}})]
    pod = asks(classes, container("c", {"h20": 1}))
    assert fits(pod, node([device("GPU-0", "NVIDIA H200", 143771)], classes)) is not None
    assert fits(pod, node([device("GPU-0", "NVIDIA-H20", 97871)], classes)) is None


def test_two_objects_of_one_device_are_one_device_and_sick_if_either_says_so():
    pod = asks(CLASSES, container("c", {"k80": 1}))
    assert fits(pod, node([K80, device("GPU-0", phase="Unhealthy")], CLASSES)) is not None
    assert len(node([K80, device("GPU-0")], CLASSES).devices.devices) == 1
