"""A device that is freed is given on at once, and one that is not yet free is not."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.harness.api import Api
from tests.harness.devices import device_nodes, k80, set_phase
from tests.harness.waiting import holds, until
from tests.scheduling.expect import (
    HIGH_MEM,
    K80,
    asking,
    bound,
    device,
    end,
    finish,
    nodes_of,
    place,
    reap,
    refuse,
)
from tests.scheduling.workloads import deployment

pytestmark = pytest.mark.usefixtures("scheduler")

PROMPT_SECONDS = 5.0
HAS_WAITED_SECONDS = 4.0  # past the first back-offs: a pod that has waited long is the slow case


@pytest.mark.parametrize("free", [end, finish], ids=["is gone", "has succeeded"])
@pytest.mark.parametrize("holder", [K80, HIGH_MEM], ids=["of the class", "of an overlapping class"])
def test_a_waiting_pod_is_bound_within_five_seconds_of_the_holder_that(
    api: Api, namespace: str, holder: str, free: Callable[[Api, str, str], None]
) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        first = place(api, namespace, asking("first", holder))
        refuse(api, namespace, asking("second", K80))
        time.sleep(HAS_WAITED_SECONDS)

        free(api, namespace, "first")
        second = bound(api, namespace, "second", PROMPT_SECONDS)

    assert device(second) == device(first)


def test_a_waiting_pod_is_bound_within_five_seconds_of_a_new_device(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        place(api, namespace, asking("first"))
        refuse(api, namespace, asking("second"))
        time.sleep(HAS_WAITED_SECONDS)

        with device_nodes(api, {"node-b": [k80()]}):
            second = bound(api, namespace, "second", PROMPT_SECONDS)

    assert second["spec"]["nodeName"] == "node-b"


# kube-scheduler watches no devices: of this change it hears from the binder alone.
def test_a_waiting_pod_is_bound_within_five_seconds_of_a_device_that_is_well_again(
    api: Api, namespace: str
) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-0")]}):
        set_phase(api, "node-a-gpu-0", "Unhealthy")
        assert "1 unhealthy" in refuse(api, namespace, asking("one"))
        time.sleep(HAS_WAITED_SECONDS)

        set_phase(api, "node-a-gpu-0", "Available")
        assert device(bound(api, namespace, "one", PROMPT_SECONDS)) == "GPU-0"


# kubernetes/kubernetes#113292: a card was handed on while its first pod still ran.
def test_a_terminating_pod_holds_its_device_until_it_is_gone(api: Api, namespace: str) -> None:
    slow = asking("slow")
    slow["metadata"]["finalizers"] = ["example.com/hold"]

    with device_nodes(api, {"node-a": [k80()]}):
        held = device(place(api, namespace, slow))
        api.delete("Pod", "slow", namespace, gracePeriodSeconds=0).must()
        refuse(api, namespace, asking("next"))
        holds(lambda: "nodeName" not in api.get("Pod", "next", namespace).must()["spec"], "next waits", 3)

        api.patch("Pod", "slow", {"metadata": {"finalizers": None}}, namespace).must()
        assert device(bound(api, namespace, "next", PROMPT_SECONDS)) == held


def test_a_deployment_takes_devices_as_it_grows_and_gives_them_back(api: Api, namespace: str) -> None:
    def scale(replicas: int, placed: int) -> None:
        api.patch("apps/v1/Deployment", "train", {"spec": {"replicas": replicas}}, namespace).must()

        def settled() -> bool:
            reap(api, namespace)
            pods = api.items("Pod", namespace)
            return len(pods) == replicas and nodes_of(pods).total() == placed

        until(settled, f"{placed} of {replicas} pods are bound", 30)

    with device_nodes(api, {"node-a": [k80()] * 2, "node-b": [k80()] * 2}):
        api.create(deployment("train", asking("train"), 0), namespace).must()
        for replicas, placed in ((3, 3), (6, 4), (1, 1), (4, 4)):
            scale(replicas, placed)
