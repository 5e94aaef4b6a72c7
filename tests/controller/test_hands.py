"""People and tools that write what is the controller's own: it puts things right, once each time."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.controller.labelled import CLASS, DEVICE, SECONDS, aliyun, devices_of, labelled_node, wait_shown
from tests.controller.objects import relabel, wait_condition
from tests.controller.test_idle import writes
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.controller import NAME, USER, Controller
from tests.harness.waiting import holds, until

Json = dict[str, Any]

P100 = "nvidia.tesla.p100-pcie-16gb"
LABELS = aliyun("Tesla-P100-PCIE-16GB", "16280MiB", 2)
LEASE = "coordination.k8s.io/v1/Lease"
EDITS = 10

pytestmark = pytest.mark.usefixtures("controller")


def write_capacity(api: Api, node: str, units: str) -> None:
    amounts = {f"resourceclass.io/{P100}": units, "resourceclass.io/made.up": "7"}
    status = {"status": {"capacity": amounts, "allocatable": amounts}}
    api.patch("Node", node, status, subresource="status").must()


def test_capacity_and_labels_written_by_hand_are_put_right_with_one_write_each(
    api: Api, audit: AuditLog
) -> None:
    with labelled_node(api, "edited", LABELS):
        wait_shown(api, "edited", {P100: "2"})
        until(lambda: api.get(CLASS, P100).must().get("status", {}).get("devices") == 2, "it is counted")
        mark = audit.mark()
        for number in range(EDITS):
            relabel(api, "edited", {f"class.resourceclass.io/{P100}": str(number + 10)})
            write_capacity(api, "edited", str(number + 10))
            wait_shown(api, "edited", {P100: "2"})
        made = writes(audit, mark)
        assert EDITS <= len(made) <= 2 * EDITS
        assert {(verb, name) for verb, _, name in made} == {("patch", "edited")}
        mark = audit.mark()
        holds(lambda: not writes(audit, mark), "nothing more is written", 3)


def test_labels_that_flap_every_moment_make_no_storm_of_writes(api: Api, audit: AuditLog) -> None:
    with labelled_node(api, "flapping", LABELS):
        wait_shown(api, "flapping", {P100: "2"})
        mark = audit.mark()
        for number in range(40):
            model = ("Tesla-P4", "Tesla-P100-PCIE-16GB")[number % 2]
            relabel(api, "flapping", {"aliyun.accelerator/nvidia_name": model})
            time.sleep(0.1)
        wait_condition(api, "flapping", "LabelsChanging")
        # Each device and the node once, the class, an event; the labels have changed forty times.
        assert len(writes(audit, mark)) < 12


def test_a_device_of_ours_that_is_deleted_comes_back(api: Api) -> None:
    with labelled_node(api, "robbed", LABELS):
        wait_shown(api, "robbed", {P100: "2"})
        api.delete(DEVICE, "robbed-0").must()
        until(lambda: len(devices_of(api, "robbed")) == 2, "it is back", SECONDS)


def test_a_device_that_a_finalizer_holds_makes_no_storm_of_writes(api: Api, audit: AuditLog) -> None:
    with labelled_node(api, "held-back", LABELS):
        wait_shown(api, "held-back", {P100: "2"})
        api.patch(DEVICE, "held-back-1", {"metadata": {"finalizers": ["example.com/hold"]}}).must()
        api.delete(DEVICE, "held-back-1").must()
        mark = audit.mark()
        api.delete("Node", "held-back")
        audit.wait_for(mark, 30, user=USER, verb="delete", name="held-back-1")
        holds(lambda: len(writes(audit, mark)) < 8, "it is deleted once", 3)
        api.patch(DEVICE, "held-back-1", {"metadata": {"finalizers": None}}).must()


def test_a_stolen_lease_stops_all_writes_until_it_is_over(
    api: Api, controller: Controller, audit: AuditLog
) -> None:
    with labelled_node(api, "leaderless", LABELS):
        wait_shown(api, "leaderless", {P100: "2"})
        api.patch(LEASE, NAME, {"spec": {"holderIdentity": "thief"}}, chart.NAMESPACE).must()
        until(lambda: not controller.leads(), "it has seen that", 10)
        mark = audit.mark()
        api.delete(DEVICE, "leaderless-0").must()
        holds(lambda: not writes(audit, mark), "nothing is written", 8)
        controller.wait_leading()
        until(lambda: len(devices_of(api, "leaderless")) == 2, "the device is back", SECONDS)


def test_a_class_that_is_deleted_while_it_is_used_comes_back(api: Api) -> None:
    with labelled_node(api, "classless", LABELS):
        wait_shown(api, "classless", {P100: "2"})
        api.delete(CLASS, P100).must()
        until(lambda: api.get(CLASS, P100).ok, "the class is back", SECONDS)
        wait_shown(api, "classless", {P100: "2"})
