"""Sharing by memory: exact to the byte, and never on a device that somebody has for himself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.api import Api
from tests.harness.devices import Card, device_nodes, k80
from tests.harness.product import fresh_class
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import (
    K80,
    asking,
    container,
    device,
    devices,
    holders,
    nodes_of,
    place,
    pod_of,
    record,
    refuse,
    waiting,
)
from tests.scheduling.workloads import deployment

pytestmark = pytest.mark.usefixtures("scheduler")

GIB = 1 << 30
X = Card("X", 10240)


@pytest.fixture
def shares(api: Api) -> Iterator[None]:
    """The classes sh1, sh9 and sh10, of as many GiB of a device of model X, and `whole`."""
    with (
        fresh_class(api, "sh1", {"model": "X"}, share={"memory": "1GiB"}),
        fresh_class(api, "sh9", {"model": "X"}, share={"memory": "9GiB"}),
        fresh_class(api, "sh10", {"model": "X"}, share={"memory": "10GiB"}),
        fresh_class(api, "whole", {"model": "X"}),
    ):
        yield


# kai-scheduler/KAI-Scheduler#416: MiB were turned into MB and back, and one pod too many was placed.
@pytest.mark.parametrize(("size", "fit"), [("2000MiB", 23), ("2000MB", 24), ("2GiB", 22)])
def test_a_device_takes_exactly_as_many_shares_as_fit(api: Api, namespace: str, size: str, fit: int) -> None:
    with (
        fresh_class(api, "slice", {"model": "NVIDIA L40"}, share={"memory": size}),
        device_nodes(api, {"node-l": [Card("NVIDIA L40", 46068, "GPU-l")]}),
    ):
        api.create(deployment("many", asking("many", "slice"), 25), namespace).must()
        until(lambda: nodes_of(api.items("Pod", namespace))["node-l"] == fit, f"{fit} pods are bound", 60)
        late = next(pod for pod in api.items("Pod", namespace) if not pod["spec"].get("nodeName"))
        waiting(api, namespace, late["metadata"]["name"])
        held = holders(api.items("Pod", namespace))

    assert list(held) == ["GPU-l"]
    taken = sum(entry["memoryBytes"] for entry in held["GPU-l"])
    one = held["GPU-l"][0]["memoryBytes"]
    assert taken <= 46068 << 20 < taken + one


# Project-HAMi/HAMi#592, #3052: the second container was charged to the wrong card.
@pytest.mark.usefixtures("shares")
@pytest.mark.parametrize("names", [("big", "small"), ("small", "big")])
def test_two_containers_that_share_are_charged_to_their_own_devices_also_after_a_restart(
    api: Api, namespace: str, scheduler: SchedulerPod, names: tuple[str, str]
) -> None:
    wants = {"big": {"sh10": 1}, "small": {"sh1": 1}}

    def duo(name: str) -> dict[str, object]:
        return pod_of(name, *(container(each, wants[each]) for each in names))

    with device_nodes(api, {"node-a": [X, X]}):
        pod = place(api, namespace, duo("duo"))
        scheduler.binder.kill()
        scheduler.binder.start().wait_ready()
        refuse(api, namespace, duo("second"))
        alone = place(api, namespace, asking("alone", "sh9"))

    assert devices(pod)["big"] != devices(pod)["small"]
    sizes = {name: entries[0]["memoryBytes"] for name, entries in record(pod)["containers"].items()}
    assert sizes == {"big": 10 * GIB, "small": GIB}
    assert device(alone) == device(pod, "small")


@pytest.mark.usefixtures("shares")
def test_several_units_of_one_container_come_from_one_device(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [X, X]}):
        place(api, namespace, asking("first", "sh1", 6))
        second = place(api, namespace, asking("second", "sh1", 6))
        reason = refuse(api, namespace, asking("third", "sh1", 6))
        third = place(api, namespace, asking("fits", "sh1", 4))

    assert record(second)["containers"]["main"][0]["memoryBytes"] == 6 * GIB
    assert "2 too full" in reason
    assert len(devices(third)["main"]) == 1


@pytest.mark.usefixtures("shares")
def test_a_device_is_never_both_shared_and_whole(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [X, X]}):
        shared = place(api, namespace, asking("shared", "sh1"))
        whole = place(api, namespace, asking("whole", "whole"))
        reason = refuse(api, namespace, asking("another", "whole"))

    assert device(shared) != device(whole)
    assert "memoryBytes" not in record(whole)["containers"]["main"][0]
    assert "1 in use by shares" in reason


@pytest.mark.usefixtures("shares")
def test_pack_fills_one_device_before_the_next(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [X, X], "node-b": [X, X]}):
        pods = [place(api, namespace, asking(f"p{number}", "sh1")) for number in range(4)]

    assert len({device(pod) for pod in pods}) == 1


def test_spread_takes_the_emptiest_device(api: Api, namespace: str) -> None:
    with (
        fresh_class(api, "spread", {"model": "X"}, share={"memory": "1GiB"}, placement="Spread"),
        device_nodes(api, {"node-a": [X, X], "node-b": [X, X]}),
    ):
        pods = [place(api, namespace, asking(f"p{number}", "spread")) for number in range(4)]

    assert len({device(pod) for pod in pods}) == 4


def test_whole_devices_fill_one_node_before_the_next(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()] * 4, "node-b": [k80()] * 4}):
        pods = [place(api, namespace, asking(f"p{number}", K80)) for number in range(4)]

    assert len(nodes_of(pods)) == 1
