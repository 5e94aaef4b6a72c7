"""Preempt: victims whose devices are the right ones, or no candidate at all."""

from __future__ import annotations

from tests.unit.binder.worlds import World, bound, container, device, k80_pod, pod
from webhook.binder.preempting import preempt
from webhook.wire.extender import Victims


def mixed(*pods: dict) -> World:
    world = World().nodes(**{"node-a": [device("node-a", "GPU-K"), device("node-a", "GPU-P", "Tesla P100")]})
    return world.create(*pods)


def holder(name: str, device_id: str, class_name: str = "any", priority: int = 0, **metadata: str) -> dict:
    obj = bound(pod(name, container(any=1), priority=priority), "node-a", device_id, class_name=class_name)
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


def asked(world: World, proposal: Victims, obj: dict | None = None) -> dict[str, Victims]:
    return preempt(world.books, obj or k80_pod("high", priority=100), {"node-a": proposal})


def test_a_proposal_that_frees_the_right_device_stands_as_it_is():
    world = mixed(holder("on-k", "GPU-K"), holder("on-p", "GPU-P"))
    proposal = Victims(("uid-on-k", "uid-of-no-class"), 2)
    assert asked(world, proposal) == {"node-a": proposal}


def test_a_proposal_that_frees_the_wrong_device_is_replaced():
    world = mixed(holder("on-k", "GPU-K"), holder("on-p", "GPU-P"))
    assert asked(world, Victims(("uid-on-p",))) == {"node-a": Victims(("uid-on-k",), 1)}


def test_a_node_whose_right_devices_are_held_by_more_important_pods_is_dropped():
    world = mixed(holder("on-k", "GPU-K", priority=100), holder("on-p", "GPU-P"))
    assert asked(world, Victims(("uid-on-p",))) == {}


def test_a_node_without_such_a_device_is_dropped():
    world = World().nodes(**{"node-a": [device("node-a", "GPU-P", "Tesla P100")]})
    world.create(holder("on-p", "GPU-P"))
    assert asked(world, Victims(("uid-on-p",))) == {}


def test_of_equal_pods_the_least_important_and_then_the_youngest_goes():
    world = World().nodes(**{"node-a": [device("node-a", f"GPU-{i}") for i in range(3)]})
    world.create(
        holder("old", "GPU-0", "k80", 5, creationTimestamp="2026-01-01T00:00:00Z"),
        holder("young", "GPU-1", "k80", 5, creationTimestamp="2026-01-02T00:00:00Z"),
        holder("important", "GPU-2", "k80", 50, creationTimestamp="2026-01-03T00:00:00Z"),
    )
    assert asked(world, Victims(("uid-unrelated",))) == {"node-a": Victims(("uid-young",), 1)}


def test_nobody_is_evicted_when_nobody_was_proposed():
    world = mixed(holder("on-k", "GPU-K"))
    assert asked(world, Victims(())) == {"node-a": Victims(("uid-on-k",), 1)}
    assert asked(mixed(), Victims(())) == {}


def test_a_node_with_an_unreadable_record_is_dropped():
    broken = bound(k80_pod("broken"), "node-a", "GPU-P")
    broken["metadata"]["annotations"] = {"resourceclass.io/allocation": "{not json"}
    world = mixed(holder("on-k", "GPU-K"), broken)
    assert asked(world, Victims(("uid-on-k",))) == {}


def test_the_pod_with_the_unreadable_record_may_be_the_victim():
    broken = bound(k80_pod("broken"), "node-a", "GPU-K")
    broken["metadata"]["annotations"] = {"resourceclass.io/allocation": "{not json"}
    assert asked(mixed(broken), Victims(("uid-broken",))) == {"node-a": Victims(("uid-broken",))}


def test_for_a_pod_without_class_the_proposal_stands():
    world = mixed(holder("on-k", "GPU-K"))
    found = asked(world, Victims(("uid-on-k",), 1), pod("plain", {"name": "c"}, priority=100))
    assert found == {"node-a": Victims(("uid-on-k",), 1)}


def test_what_a_bind_has_reserved_cannot_be_freed():
    world = mixed(k := k80_pod("k"), holder("on-p", "GPU-P"))
    world.bind(k, "node-a")
    assert asked(world, Victims(("uid-on-p",))) == {}


def gpus(*pods: dict) -> World:
    devices = [device("node-a", f"GPU-{number}", raw_resource="nvidia.com/gpu") for number in range(2)]
    return World().nodes(**{"node-a": devices}).create(*pods)


def plain(name: str, priority: int = 0) -> dict:
    limits = {"limits": {"nvidia.com/gpu": "1"}}
    obj = pod(name, {"name": "c", "resources": limits}, nodeName="node-a", priority=priority)
    return {**obj, "spec": {**obj["spec"], "schedulerName": "default-scheduler"}}


def test_a_pod_whose_device_nobody_knows_frees_one_when_it_goes():
    world = gpus(holder("one", "GPU-0", priority=200), plain("unknown"))
    assert asked(world, Victims(("uid-unknown",))) == {"node-a": Victims(("uid-unknown",))}
    assert asked(world, Victims(("uid-of-no-class",))) == {"node-a": Victims(("uid-unknown",), 1)}


def test_a_device_that_nobody_knows_is_not_taken_for_free():
    world = gpus(holder("low", "GPU-0"), plain("unknown", priority=200))
    assert asked(world, Victims(("uid-low",))) == {"node-a": Victims(("uid-low",))}
    assert asked(world, Victims(("uid-low",)), pod("high", container(k80=2), priority=100)) == {}
