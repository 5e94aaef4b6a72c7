"""From nodes that have labels and nothing else to a bound class pod, with nothing written by hand."""

from __future__ import annotations

import pytest

from tests.controller.labelled import (
    CLASS,
    MANAGED_BY,
    MANAGER,
    aliyun,
    devices_of,
    k80s,
    labelled_node,
    managers,
    names,
    wait_shown,
)
from tests.harness.api import Api
from tests.harness.controller import Controller
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import asking, device, place, refuse

K80 = "nvidia.tesla.k80"

pytestmark = pytest.mark.usefixtures("controller")


def test_a_pod_of_a_class_that_nobody_wrote_is_bound_to_a_device_that_nobody_wrote(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "bare", k80s(2)):
        wait_shown(api, "bare", {K80: "2"})
        taken = {device(place(api, namespace, asking(f"p{number}", K80))) for number in range(2)}
        assert taken == {"0", "1"}
        assert "Insufficient" in refuse(api, namespace, asking("late", K80))


def test_what_it_makes_is_marked_as_its_own(api: Api) -> None:
    with labelled_node(api, "marked", k80s(1)) as node:
        shown = wait_shown(api, "marked", {K80: "1"})
        (made,) = devices_of(api, "marked")
        (class_made,) = [obj for obj in api.items(CLASS) if obj["metadata"]["name"] == K80]
    for obj in (made, class_made):
        assert obj["metadata"]["labels"].items() >= MANAGED_BY.items()
        assert managers(obj) == {MANAGER}
    assert MANAGER in managers(shown)
    (owner,) = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == ("Node", node["metadata"]["uid"])


def test_statuses_say_what_there_is_and_who_holds_it(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "counted", k80s(2)):
        wait_shown(api, "counted", {K80: "2"})
        pod = place(api, namespace, asking("p", K80))

        def counted() -> bool:
            status = api.get(CLASS, K80).must().get("status", {})
            return (status.get("devices"), status.get("free"), status.get("nodes")) == (2, 1, 1)

        until(counted, "the class has two devices, one free, on one node")
        by_id = {obj["spec"]["deviceID"]: obj["status"] for obj in devices_of(api, "counted")}
        held = by_id.pop(device(pod))
        (free,) = by_id.values()

    assert held["phase"] == "Bound"
    (consumer,) = held["consumers"]
    assert (consumer["pod"], consumer["uid"], consumer["class"]) == ("p", pod["metadata"]["uid"], K80)
    assert free["phase"] == "Available"


def test_a_pod_that_ends_frees_its_device_in_every_status(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with labelled_node(api, "freed", k80s(1)):
        wait_shown(api, "freed", {K80: "1"})
        place(api, namespace, asking("p", K80))
        until(lambda: devices_of(api, "freed")[0]["status"]["phase"] == "Bound", "it is held")
        api.delete("Pod", "p", namespace, gracePeriodSeconds=0).must()
        until(lambda: devices_of(api, "freed")[0]["status"]["phase"] == "Available", "it is free")
        assert not devices_of(api, "freed")[0]["status"].get("consumers")


def test_nodes_come_and_go_and_come_back_as_others(api: Api) -> None:
    with labelled_node(api, "changing", k80s(2)):
        wait_shown(api, "changing", {K80: "2"})
    with labelled_node(api, "changing", aliyun("Tesla-P4", "7611MiB", 1)) as again:
        wait_shown(api, "changing", {"nvidia.tesla.p4": "1"})
        (made,) = devices_of(api, "changing")
        assert made["metadata"]["ownerReferences"][0]["uid"] == again["metadata"]["uid"]


def test_more_devices_of_a_model_are_there_at_once(api: Api) -> None:
    with labelled_node(api, "growing", k80s(1)):
        wait_shown(api, "growing", {K80: "1"})
        api.patch("Node", "growing", {"metadata": {"labels": k80s(3)}}).must()
        wait_shown(api, "growing", {K80: "3"})


def test_labels_and_amounts_of_others_stay_as_they_are(api: Api) -> None:
    with labelled_node(api, "shared", {**k80s(1), "team": "a", "resourceclass.example/x": "1"}) as before:
        after = wait_shown(api, "shared", {K80: "1"})
    assert after["metadata"]["labels"].items() >= before["metadata"]["labels"].items()
    assert after["status"]["capacity"].items() >= before["status"]["capacity"].items()
    assert before["status"]["conditions"][0] in after["status"]["conditions"]


def test_what_somebody_takes_away_from_a_node_is_put_back(api: Api) -> None:
    with labelled_node(api, "robbed", k80s(1)):
        wait_shown(api, "robbed", {K80: "1"})
        api.patch("Node", "robbed", {"metadata": {"labels": {f"class.resourceclass.io/{K80}": None}}}).must()
        gone = {f"resourceclass.io/{K80}": None}
        api.patch(
            "Node", "robbed", {"status": {"capacity": gone, "allocatable": gone}}, subresource="status"
        ).must()
        wait_shown(api, "robbed", {K80: "1"})


def test_a_class_of_a_person_is_left_as_it_is(api: Api) -> None:
    own = {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": "nvidia.tesla.p40", "labels": {"team": "a"}},
        "spec": {"selector": {"matchLabels": {"model": "Tesla-P40"}}, "placement": "Spread"},
    }
    made = api.create(own, fieldManager="a-person").must()
    try:
        with labelled_node(api, "theirs", aliyun("Tesla-P40", "22919MiB", 1)):
            wait_shown(api, "theirs", {"nvidia.tesla.p40": "1"})
            after = api.get(CLASS, "nvidia.tesla.p40").must()
        assert after["spec"] == made["spec"]
        assert after["metadata"]["labels"] == {"team": "a"}
        assert after["metadata"]["generation"] == made["metadata"]["generation"]
    finally:
        api.delete(CLASS, "nvidia.tesla.p40")


def test_nodes_without_devices_are_not_touched(api: Api, controller: Controller) -> None:
    with labelled_node(api, "plain", {"team": "a"}) as before:
        with labelled_node(api, "beside", k80s(1)):
            wait_shown(api, "beside", {K80: "1"})
        after = api.get("Node", "plain").must()
    assert MANAGER not in managers(after)
    assert after["metadata"]["labels"] == before["metadata"]["labels"]


def test_a_class_whose_devices_are_gone_stays_and_says_so(api: Api) -> None:
    with labelled_node(api, "leaving", aliyun("Tesla-V100", "16384MiB", 1)):
        wait_shown(api, "leaving", {"nvidia.tesla.v100": "1"})

    def reason() -> str:
        status = api.get(CLASS, "nvidia.tesla.v100").must().get("status", {})
        return str(next((c["reason"] for c in status.get("conditions", ()) if c["type"] == "Ready"), ""))

    until(lambda: reason() == "NoDevice", "the class says that there is no device of it")
    assert "nvidia.tesla.v100" in names(api.items(CLASS))
