"""Devices taken past the scheduler: by vendors' resources and by static pods."""

from __future__ import annotations

from tests.unit.binder.worlds import World, bound, container, device, k80_pod, pod

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


def test_a_plain_pod_costs_one_device_of_every_kind_that_it_could_have():
    mixed = world("Tesla K80", "Tesla K80", "Tesla P100", "Tesla P100")
    mixed.create(plain("plain"))
    assert mixed.free("node-a") == {"GPU-1", "GPU-3"}


def test_a_plain_pod_costs_as_many_as_it_asks_for():
    same = world("Tesla K80", "Tesla K80", "Tesla K80")
    same.create(plain("plain", 2))
    assert same.free("node-a") == {"GPU-2"}


def test_what_records_name_is_not_held_back_again():
    same = world("Tesla K80", "Tesla K80")
    same.create(bound(k80_pod("p"), "node-a", "GPU-0"), plain("plain"))
    assert same.free("node-a") == set()
    assert same.books.node("node-a").conflicts == ()


def test_devices_of_another_resource_are_not_held_back():
    other = World().nodes(**{"node-a": [device("node-a", "GPU-0", raw_resource="amd.com/gpu")]})
    other.create(plain("plain"))
    assert other.free("node-a") == {"GPU-0"}


def test_a_pod_that_is_not_on_a_node_costs_nothing():
    same = world("Tesla K80")
    same.create(plain("plain", node=""))
    assert same.free("node-a") == {"GPU-0"}


def test_devices_are_free_again_when_the_plain_pod_is_gone():
    same = world("Tesla K80")
    same.create(plain("plain"))
    same.api.delete("plain")
    assert same.watch().free("node-a") == {"GPU-0"}


def test_a_static_pod_that_asks_for_a_class_costs_a_device_of_it():
    same = world("Tesla K80", "Tesla K80")
    same.create(pod("static", container(k80=1), nodeName="node-a"))
    assert same.free("node-a") == {"GPU-1"}


def test_a_class_pod_with_a_record_that_asks_for_the_resource_too_costs_its_device_alone():
    same = world("Tesla K80", "Tesla K80")
    p = bound(k80_pod("p"), "node-a", "GPU-0")
    p["spec"]["containers"][0]["resources"]["limits"][GPU] = "1"
    same.create(p)
    assert same.free("node-a") == {"GPU-1"}
