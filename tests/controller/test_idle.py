"""Where nothing changes, nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.controller.labelled import CLASS, devices_of, k80s, labelled_node, shown, wait_shown
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.controller import USER, Controller
from tests.harness.devices import AMOUNTS
from tests.harness.product import Product
from tests.harness.waiting import holds, until

K80 = "nvidia.tesla.k80"
NODES, CALLERS = 500, 8
READS = ("get", "list", "watch")
WORK = "resourceclass_controller_work_total"


def writes(audit: AuditLog, since: int) -> list[tuple[str, str, str]]:
    """Verb, resource and name of what the controller wrote, but for its Lease."""
    events = [each for each in audit.entries(since, user=USER) if each["verb"] not in READS]
    about = [(each["verb"], each["objectRef"]) for each in events]
    return [
        (verb, ref["resource"], ref.get("name", "")) for verb, ref in about if ref["resource"] != "leases"
    ]


@pytest.fixture
def often(installed: Product, controller: Controller) -> Iterator[Controller]:
    """A replica that looks at everything again every other second, in the place of the usual one."""
    controller.stop()
    eager = Controller(installed, "controller-eager", ["--resync-seconds=2"])
    try:
        with eager:
            yield eager
    finally:
        controller.start().wait_leading()


@pytest.fixture
def crowd(api: Api) -> Iterator[list[str]]:
    """Many nodes with labels."""
    names = [f"idle-{number}" for number in range(NODES)]
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "made by a test"}
    status = {"capacity": AMOUNTS, "allocatable": AMOUNTS, "conditions": [ready]}

    def make(name: str) -> None:
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **k80s(1)}}
        api.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}).must()

    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(make, names))
        yield names
        list(callers.map(lambda name: api.delete("Node", name), names))
    until(lambda: not api.items("resourceclass.io/v1alpha1/ExtendedResource"), "their devices are gone", 60)


@pytest.mark.timeout(400)
def test_looking_at_five_hundred_nodes_again_writes_nothing(
    api: Api, crowd: list[str], often: Controller, audit: AuditLog
) -> None:
    def all_shown() -> bool:
        nodes = [node for node in api.items("Node") if node["metadata"]["name"] in set(crowd)]
        return all(shown(node) == {K80: "1"} for node in nodes)

    def settled() -> bool:
        return api.get(CLASS, K80).must().get("status", {}).get("devices") == NODES

    until(all_shown, "all nodes show their device", 240)
    until(settled, "the status of the class counts them", 30)
    mark, seen = audit.mark(), often.metric(WORK, kind="node", result="done")
    until(lambda: often.metric(WORK, kind="node", result="done") >= seen + 2 * NODES, "two rounds", 120)
    assert writes(audit, mark) == []


def test_a_restart_on_a_finished_cluster_writes_nothing(
    api: Api, controller: Controller, audit: AuditLog
) -> None:
    with labelled_node(api, "finished", k80s(2)):
        wait_shown(api, "finished", {K80: "2"})
        until(lambda: len(devices_of(api, "finished")) == 2, "both devices are there")
        until(lambda: api.get(CLASS, K80).must()["status"]["devices"] == 2, "the class counts them")
        mark = audit.mark()
        controller.stop()
        controller.start().wait_leading()
        until(lambda: controller.metric(WORK, kind="node", result="done") >= 1, "it has looked at the node")
        holds(lambda: not writes(audit, mark), "nothing is written", 3)


def test_heartbeats_and_foreign_changes_of_a_node_make_no_work(
    api: Api, controller: Controller, audit: AuditLog
) -> None:
    with labelled_node(api, "beating", k80s(1)):
        wait_shown(api, "beating", {K80: "1"})
        until(lambda: api.get(CLASS, K80).must()["status"]["devices"] == 1, "the class counts it")
        mark, seen = audit.mark(), controller.metric(WORK, kind="node")
        for beat in range(5):
            condition = {"type": "Ready", "status": "True", "reason": f"Beat{beat}", "message": "m"}
            api.patch(
                "Node",
                "beating",
                {"status": {"conditions": [condition]}},
                subresource="status",
                content_type="application/strategic-merge-patch+json",
            ).must()
        holds(lambda: controller.metric(WORK, kind="node") == seen, "no work is done", 2)
        assert writes(audit, mark) == []
