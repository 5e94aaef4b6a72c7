"""Devices taken past the scheduler: by vendors' resources and by static pods."""

from __future__ import annotations

import pytest

from tests.unit.binder.worlds import World, bound, container, device, k80_pod, pod
from webhook.binder.filtering import filter_nodes
from webhook.binder.reserving import BindRefused

GPU = "nvidia.com/gpu"


def plain(name: str, count: int = 1, node: str = "node-a") -> dict:
    return pod(name, asking(count), nodeName=node, schedulerName="default-scheduler")


def asking(count: int, name: str = "c", **more: object) -> dict:
    return {"name": name, "resources": {"limits": {GPU: str(count), "cpu": "1"}}, **more}


def world(*models: str) -> World:
    devices = [
        device("node-a", f"GPU-{number}", model, raw_resource=GPU) for number, model in enumerate(models)
    ]
    return World().nodes(**{"node-a": devices})


def fits(world: World, *asked: dict[str, int]) -> bool:
    """Whether node-a passes a pod whose containers ask for these units of classes."""
    containers = [container(f"c{number}", **amounts) for number, amounts in enumerate(asked)]
    return filter_nodes(world.books, pod("probe", *containers), ["node-a"]).passing == ["node-a"]


def most(world: World, class_name: str) -> int:
    """How many devices of a class one pod could get on node-a."""
    return max(units for units in range(9) if not units or fits(world, {class_name: units}))


def test_a_plain_pod_costs_one_device_of_every_class_that_it_could_have():
    mixed = world("Tesla K80", "Tesla K80", "Tesla P100", "Tesla P100").create(plain("plain"))
    assert (most(mixed, "k80"), most(mixed, "p100")) == (1, 1)


def test_a_plain_pod_costs_a_class_of_several_kinds_no_more_than_it_holds():
    mixed = world("Tesla K80", "Tesla K80", "Tesla P100", "Tesla P100").create(plain("plain"))
    assert most(mixed, "any") == 3
    assert fits(mixed, {"k80": 1}, {"p100": 1}, {"any": 1})
    assert not fits(mixed, {"k80": 2}, {"any": 1})


def test_a_plain_pod_costs_as_many_as_it_asks_for():
    assert most(world("Tesla K80", "Tesla K80", "Tesla K80").create(plain("plain", 2)), "k80") == 1


def test_what_a_plain_pod_may_hold_is_left_for_it():
    mixed = world("Tesla K80", "Tesla P100").create(plain("plain"))
    one, two = (pod(name, container(any=1)) for name in ("one", "two"))
    mixed.create(one, two)
    assert mixed.bind(one, "node-a") == "bound"
    assert not fits(mixed.watch(), {"any": 1})
    with pytest.raises(BindRefused, match="any needs 1 device: 1 in use, 1 held back"):
        mixed.bind(two, "node-a")


def test_what_records_name_is_not_held_back_again():
    same = world("Tesla K80", "Tesla K80", "Tesla K80")
    same.create(bound(k80_pod("p"), "node-a", "GPU-0"), plain("plain"))
    assert most(same, "k80") == 1
    assert same.books.node("node-a").conflicts == ()


def test_devices_of_another_resource_are_not_held_back():
    other = World().nodes(**{"node-a": [device("node-a", "GPU-0", raw_resource="amd.com/gpu")]})
    assert most(other.create(plain("plain")), "k80") == 1


def test_a_pod_that_is_not_on_a_node_costs_nothing():
    assert most(world("Tesla K80").create(plain("plain", node="")), "k80") == 1


def test_devices_are_free_again_when_the_plain_pod_is_gone():
    same = world("Tesla K80").create(plain("plain"))
    assert most(same, "k80") == 0
    same.api.delete("plain")
    assert most(same.watch(), "k80") == 1


def test_a_static_pod_that_asks_for_a_class_costs_a_device_of_it():
    same = world("Tesla K80", "Tesla K80")
    assert most(same.create(pod("static", container(k80=1), nodeName="node-a")), "k80") == 1


def test_a_static_pod_may_have_any_device_of_its_class():
    mixed = world("Tesla K80", "Tesla P100")
    mixed.create(pod("static", container(any=1), nodeName="node-a"))
    assert (most(mixed, "k80"), most(mixed, "p100"), most(mixed, "any")) == (0, 0, 1)


def test_a_container_with_a_record_that_asks_for_the_resource_too_costs_its_device_alone():
    same = world("Tesla K80", "Tesla K80")
    p = bound(k80_pod("p"), "node-a", "GPU-0")
    p["spec"]["containers"][0]["resources"]["limits"][GPU] = "1"
    assert most(same.create(p), "k80") == 1


def test_a_container_without_record_beside_one_with_it_costs_a_device_of_its_own():
    same = world("Tesla K80", "Tesla K80")
    p = bound(k80_pod("p"), "node-a", "GPU-0")
    p["spec"]["containers"].append(asking(1, "plain"))
    assert most(same.create(p), "k80") == 0


def test_a_flood_of_plain_requests_costs_no_more_than_there_is():
    huge = plain("plain", 10**15)
    assert most(world("Tesla K80").create(huge), "k80") == 0
