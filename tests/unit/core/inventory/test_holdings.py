"""Who holds which device, from the records of pods."""

import pytest

from tests.unit.core.placement.nodes import GIB, container, device, node, sidecar, spec
from webhook.core.inventory.holdings import (
    NOT_HELD,
    DamagedPod,
    Held,
    Holder,
    holdings,
    holdings_of,
    over_held,
)
from webhook.core.placement.pod_entry import entry_of
from webhook.core.placement.uses import Use
from webhook.core.values.record import Allocation, Record, write_record


def a_pod(name, containers, node_name="node-a", phase="Running", pod_spec=None, **derived):
    """A pod; `containers` is container to (class, device, memory) of its record."""
    record = Record(
        node_name, {key: tuple(Allocation(*item) for item in items) for key, items in containers.items()}
    )
    annotations = {
        "resourceclass.io/allocation": write_record(record),
        **{
            f"devices.resourceclass.io/{key}": ",".join(record.devices_of(key))
            for key, items in containers.items()
            if items
        },
        **derived,
    }
    return {
        "metadata": {"namespace": "team", "name": name, "uid": f"uid-{name}", "annotations": annotations},
        "spec": {"nodeName": node_name, **(pod_spec or spec(*(container(key) for key in containers)))},
        "status": {"phase": phase},
    }


def test_each_container_that_a_record_names_is_a_holder():
    pods = [a_pod("b", {"train": [("k80", "GPU-0")]}), a_pod("a", {"x": [("sh", "GPU-1", GIB)]})]
    found = holdings(pods)
    assert dict(found.by_device) == {
        ("node-a", "GPU-0"): Held((Holder("team", "b", "uid-b", "train", "k80"),), (None,)),
        ("node-a", "GPU-1"): Held((Holder("team", "a", "uid-a", "x", "sh", GIB),), (GIB,)),
    }
    assert found.of("node-a", "GPU-2") is NOT_HELD
    assert found.of("node-b", "GPU-0").is_free


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_holds_nothing(phase):
    assert not holdings([a_pod("a", {"x": [("k80", "GPU-0")]}, phase=phase)]).by_device


def test_a_terminating_pod_holds_its_devices():
    pod = a_pod("a", {"x": [("k80", "GPU-0")]})
    pod["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z"
    assert holdings([pod]).of("node-a", "GPU-0").is_whole


def test_a_record_on_a_pod_without_a_node_means_nothing():
    pod = a_pod("a", {"x": [("k80", "GPU-0")]})
    del pod["spec"]["nodeName"]
    assert not holdings([pod]).by_device


def test_a_device_that_containers_use_one_after_the_other_is_taken_once():
    both = {"prep": [("k80", "GPU-0")], "train": [("k80", "GPU-0")]}
    pod = a_pod("a", both, pod_spec=spec(container("train"), init=[container("prep")]))
    held = holdings([pod]).of("node-a", "GPU-0")
    assert [holder.container for holder in held.holders] == ["prep", "train"]
    assert held.takes == (None,)
    assert held.pods == ("team/a",)
    assert over_held(device("GPU-0"), held) is None


def test_shares_of_a_sidecar_and_a_container_add_up():
    both = {"side": [("sh", "GPU-0", GIB)], "train": [("sh", "GPU-0", 2 * GIB)]}
    pod = a_pod("a", both, pod_spec=spec(container("train"), init=[sidecar("side", {})]))
    assert holdings([pod]).of("node-a", "GPU-0").memory_bytes == 3 * GIB


def test_a_damaged_record_takes_every_device_that_it_may_speak_of():
    pod = a_pod("a", {"x": [("k80", "GPU-0")]}, **{"devices.resourceclass.io/x": "GPU-1"})
    found = holdings([pod])
    for name in ("GPU-0", "GPU-1"):
        assert found.of("node-a", name) == Held((Holder("team", "a", "uid-a", "", ""),), (None,))
    problems = ("devices.resourceclass.io/x is not what the record says",)
    assert [item.problems[:1] for item in found.damaged] == [problems]
    assert not found.damaged[0].blocks_node


def test_a_record_from_which_no_device_can_be_read_blocks_its_node():
    pod = a_pod("a", {})
    pod["metadata"]["annotations"]["resourceclass.io/allocation"] = "{"
    problems = ("resourceclass.io/allocation: it is no JSON",)
    assert holdings([pod]).damaged == (
        DamagedPod("team", "a", "uid-a", "node-a", problems, blocks_node=True),
    )


def test_what_the_binder_keeps_of_a_pod_gives_the_same():
    both = {"prep": [("k80", "GPU-0")], "train": [("k80", "GPU-0"), ("sh", "GPU-1", GIB)]}
    init = [container("prep", {"k80": 1})]
    pods = [a_pod("a", both, pod_spec=spec(container("train", {"k80": 1, "sh": 1}), init=init))]
    assert holdings_of(entry_of(pod) for pod in pods) == holdings(pods)


@pytest.mark.parametrize(
    ("takes", "text"),
    [
        ((), None),
        ((None,), None),
        ((GIB, GIB), None),
        ((None, None), "2 pods hold the whole device"),
        ((None, GIB), "one pod holds the whole device and 1 pod a share of it"),
        ((GIB, 2 * GIB), "shares of 3 GiB in all are held of a device of 2 GiB"),
    ],
)
def test_a_device_is_over_held_when_pods_take_more_than_it_can_serve(takes, text):
    assert over_held(device("GPU-0", mib=2048), Held((), takes)) == text
    uses = [Use("GPU-0", item) for item in takes]
    assert bool(node([device("GPU-0", mib=2048)], [], uses).conflicts) is (text is not None)


def test_shares_of_a_device_of_unknown_size_are_too_much():
    unknown = type(device("GPU-0"))("node-a-0", "node-a", "GPU-0")
    assert (
        over_held(unknown, Held((), (1,))) == "shares of 1 bytes in all are held of a device of unknown size"
    )
