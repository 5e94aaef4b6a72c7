"""What the controller builds on: how a real API server takes each kind of write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from webhook.cluster.api import STRATEGIC, ApiError
from webhook.cluster.connection import Connection
from webhook.cluster.leases import Leases
from webhook.controller.kept import NODES
from webhook.controller.writing import FIELD_MANAGER, Writer

Json = dict[str, Any]


@pytest.fixture
def connection(plane_with_crds: ControlPlane) -> Connection:
    return Connection(str(plane_with_crds.kubeconfig()))


@pytest.fixture
def writer(connection: Connection) -> Writer:
    return Writer(connection, lambda: None)


@pytest.fixture
def node(api: Api) -> Iterator[Json]:
    """A node with a label, an amount and a condition of somebody else."""
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "made by a test"}
    status = {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}, "conditions": [ready]}
    metadata = {"name": "written", "labels": {"team": "a"}}
    made = api.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}).must()
    try:
        yield made
    finally:
        api.delete("Node", "written")


LABEL, AMOUNT = {"class.resourceclass.io/k80": "2"}, {"resourceclass.io/k80": "2"}
OURS = {"type": "ResourceClassReady", "status": "True", "reason": "Test", "message": "made by a test"}


def test_labels_amounts_and_a_condition_of_a_node_go_in_one_write_and_leave_the_rest(
    writer: Writer, node: Json
) -> None:
    status = {"capacity": AMOUNT, "allocatable": AMOUNT, "conditions": [OURS]}
    stored = writer.patch_node(NODES, node, {"metadata": {"labels": LABEL}, "status": status})

    assert stored["metadata"]["labels"] == {"team": "a", **LABEL}
    assert stored["status"]["capacity"] == stored["status"]["allocatable"] == {"cpu": "4", **AMOUNT}
    assert {item["type"] for item in stored["status"]["conditions"]} == {"Ready", "ResourceClassReady"}
    assert FIELD_MANAGER in {entry["manager"] for entry in stored["metadata"]["managedFields"]}


def test_what_is_taken_from_a_node_takes_nothing_else_along(writer: Writer, node: Json) -> None:
    status = {"capacity": AMOUNT, "allocatable": AMOUNT}
    given = writer.patch_node(NODES, node, {"metadata": {"labels": LABEL}, "status": status})
    gone = {"capacity": dict.fromkeys(AMOUNT), "allocatable": dict.fromkeys(AMOUNT)}
    stored = writer.patch_node(NODES, given, {"metadata": {"labels": dict.fromkeys(LABEL)}, "status": gone})

    assert stored["metadata"]["labels"] == {"team": "a"}
    assert stored["status"]["capacity"] == stored["status"]["allocatable"] == {"cpu": "4"}


def test_a_node_that_is_another_one_by_now_is_not_written(writer: Writer, node: Json, api: Api) -> None:
    before = {**node, "metadata": {**node["metadata"], "uid": "another"}}
    with pytest.raises(ApiError) as caught:
        writer.patch_node(NODES, before, {"metadata": {"labels": LABEL}})

    assert caught.value.status in (409, 422)
    assert api.get("Node", "written").must()["metadata"]["labels"] == {"team": "a"}


def test_an_object_that_is_another_one_by_now_is_not_deleted(writer: Writer, node: Json, api: Api) -> None:
    writer.delete(NODES, {"metadata": {"name": "written", "uid": "another"}})
    assert api.get("Node", "written").ok
    writer.delete(NODES, node)
    assert api.get("Node", "written").code == 404
    writer.delete(NODES, node)


def test_a_strategic_patch_is_for_kinds_of_kubernetes_alone(connection: Connection) -> None:
    path = "/apis/resourceclass.io/v1alpha1/resourceclasses/none"
    with pytest.raises(ApiError) as caught:
        connection.send(STRATEGIC, path, {"metadata": {"labels": {"a": "b"}}})
    assert caught.value.status in (404, 415)


def test_of_two_that_write_a_lease_one_wins(connection: Connection, namespace: str) -> None:
    leases = Leases(connection, namespace, "contested")
    assert leases.read() is None
    assert leases.write(None, {"holderIdentity": "a"})
    assert not leases.write(None, {"holderIdentity": "b"})
    seen = leases.read()
    assert seen is not None
    assert leases.write(seen, {"holderIdentity": "a", "leaseTransitions": 1})
    assert not leases.write(seen, {"holderIdentity": "b"})
    stored = leases.read()
    assert stored is not None
    assert stored["spec"] == {"holderIdentity": "a", "leaseTransitions": 1}
