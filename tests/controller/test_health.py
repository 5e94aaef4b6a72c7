"""A card turns unhealthy and recovers; a driver goes away and comes back; a node goes and comes back."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.controller.labelled import aliyun, devices_of, k80s, labelled_node, wait_shown
from tests.controller.objects import (
    call_sick,
    relabel,
    wait_condition,
    wait_counts,
    written_device,
)
from tests.harness.api import Api
from tests.harness.controller import Controller
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import asking, bound, device, end, place, refuse, waiting

K80, P100 = "nvidia.tesla.k80", "nvidia.tesla.p100"

pytestmark = pytest.mark.usefixtures("controller")


# NVIDIA/k8s-device-plugin#234, kubernetes/kubernetes#97131: a sick card went out for ever, or was given out.
def test_a_sick_device_is_offered_to_nobody_until_it_is_well(
    api: Api, namespace: str, scheduler: SchedulerPod, controller: Controller
) -> None:
    with ExitStack() as stack:
        stack.enter_context(labelled_node(api, "sick", {}))
        names = [
            stack.enter_context(written_device(api, "sick", f"GPU-{n}", model="Tesla K80")) for n in (0, 1)
        ]
        wait_shown(api, "sick", {K80: "2"})
        running = place(api, namespace, asking("r", K80))
        used = f"sick-{device(running).lower()}"
        (other,) = set(names) - {used}

        call_sick(api, other)
        wait_counts(api, K80, devices=2, unhealthy=1, used=1, free=0)
        refuse(api, namespace, asking("p", K80))

        call_sick(api, used)
        wait_counts(api, K80, devices=2, unhealthy=2, used=0, free=0)
        until(lambda: capacity(api, "sick") == "1", "the capacity is what is in use")
        kept = api.get("Pod", "r", namespace).must()
        assert kept["metadata"]["annotations"] == running["metadata"]["annotations"]
        waiting(api, namespace, "p")

        call_sick(api, other, "Available")
        assert f"sick-{device(bound(api, namespace, 'p')).lower()}" == other
        wait_counts(api, K80, devices=2, unhealthy=1, used=1, free=0)

        # What finds devices starts anew, and so does the controller: nothing is counted twice.
        controller.stop()
        controller.start().wait_leading()
        wait_counts(api, K80, devices=2, unhealthy=1, used=1, free=0)

        end(api, namespace, "r")
        refuse(api, namespace, asking("q", K80))
        call_sick(api, used, "Available")
        assert f"sick-{device(bound(api, namespace, 'q')).lower()}" == used


def test_a_node_whose_devices_are_all_sick_and_free_shows_none(api: Api) -> None:
    with labelled_node(api, "dead", {}), written_device(api, "dead", "GPU-D", model="Tesla K80") as name:
        wait_shown(api, "dead", {K80: "1"})
        call_sick(api, name)
        wait_shown(api, "dead", {K80: "0"})
        call_sick(api, name, "Available")
        wait_shown(api, "dead", {K80: "1"})


# Project-HAMi/HAMi PR#2590: caches by the name of the node offered cards of the old machine.
def test_a_node_that_comes_back_with_other_cards_offers_these_alone(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "back", k80s(2)):
        wait_shown(api, "back", {K80: "2"})
        place(api, namespace, asking("r", K80))
    end(api, namespace, "r")
    refuse(api, namespace, asking("k", K80))
    with labelled_node(api, "back", aliyun("Tesla-P100", "16276MiB", 1)):
        wait_shown(api, "back", {P100: "1"})
        assert place(api, namespace, asking("p", P100))["spec"]["nodeName"] == "back"
        waiting(api, namespace, "k")


# Project-HAMi/HAMi#1839: a driver that restarted left its node blocked until somebody mended it by hand.
def test_a_driver_that_goes_away_and_comes_back_needs_nobody_s_help(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "driver", k80s(2)):
        wait_shown(api, "driver", {K80: "2"})
        place(api, namespace, asking("r", K80))
        relabel(api, "driver", dict.fromkeys(k80s(2)))
        wait_condition(api, "driver", "LabelsMissing")
        wait_shown(api, "driver", {K80: "1"})
        refuse(api, namespace, asking("p", K80))
        relabel(api, "driver", k80s(2))
        bound(api, namespace, "p")
        wait_condition(api, "driver", "DevicesKnown")
        assert {obj["status"]["phase"] for obj in devices_of(api, "driver")} == {"Bound"}


def test_a_node_that_loses_its_labels_and_keeps_its_device_objects_goes_on(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "kept", k80s(1)), written_device(api, "kept", "GPU-K", model="Tesla K80"):
        until(lambda: len(devices_of(api, "kept")) == 1, "the object wins over the labels")
        wait_shown(api, "kept", {K80: "1"})
        relabel(api, "kept", dict.fromkeys(k80s(1)))
        wait_condition(api, "kept", "DevicesKnown")
        assert device(place(api, namespace, asking("p", K80))) == "GPU-K"


def capacity(api: Api, node: str) -> str:
    found: str = api.get("Node", node).must()["status"]["capacity"][f"resourceclass.io/{K80}"]
    return found
