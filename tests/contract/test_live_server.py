"""A live cluster through the troubles of a real API server."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.contract.conftest import apply_crds
from tests.contract.ports import device, resource_class
from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from tests.harness.waiting import until
from webhook.cluster.api import ApiError
from webhook.cluster.connection import Connection
from webhook.cluster.listing import PAGE_LIMIT, list_all
from webhook.cluster.live import LiveCluster
from webhook.cluster.resources import DEVICES
from webhook.core.errors import ClusterUnavailable

KIND = "resourceclass.io/v1alpha1/ResourceClass"
DEVICE = "resourceclass.io/v1alpha1/ExtendedResource"
CLASSES_PATH = "/apis/resourceclass.io/v1alpha1/resourceclasses"
DEVICES_PATH = "/apis/resourceclass.io/v1alpha1/extendedresources"


@pytest.fixture
def live(plane_with_crds: ControlPlane) -> Iterator[LiveCluster]:
    # Of every delay the shortest that chance could draw, to save the time of the tests.
    cluster = LiveCluster(Connection(str(plane_with_crds.kubeconfig())), between=lambda least, most: least)
    cluster.start()
    yield cluster
    cluster.close()


def wait_ready(cluster: LiveCluster) -> None:
    until(lambda: not cluster.not_ready(), "all caches are synced", 30)


def test_follows_the_api_server_across_its_restart(
    live: LiveCluster, plane_with_crds: ControlPlane, api: Api
) -> None:
    wait_ready(live)
    plane_with_crds.stop_api_server()
    try:
        until(live.classes_in_doubt, "memory is in doubt")
        with pytest.raises(ClusterUnavailable):
            live.fresh_class("server.restarted")
        with pytest.raises(ClusterUnavailable):
            live.namespace_labels("kube-system")
    finally:
        plane_with_crds.start_api_server()
    api.create(resource_class("server.restarted")).must()
    until(lambda: "server.restarted" in live.classes(), "the caches follow again", 30)
    until(lambda: not live.classes_in_doubt(), "memory is believed again", 30)
    api.delete(KIND, "server.restarted")


def test_a_read_of_a_stopped_api_server_is_given_up_soon(
    live: LiveCluster, plane_with_crds: ControlPlane
) -> None:
    server = plane_with_crds.process("kube-apiserver")
    wait_ready(live)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        until(
            lambda: "\nState:\tT" in Path(f"/proc/{server.pid}/status").read_text(), "the server has stopped"
        )
        started = time.monotonic()
        with pytest.raises(ClusterUnavailable, match="timed out"):
            live.fresh_quotas("default")
        assert time.monotonic() - started < 2
    finally:
        os.kill(server.pid, signal.SIGCONT)


def test_waits_for_kinds_that_are_not_installed_yet(plane_with_crds: ControlPlane, api: Api) -> None:
    for plural in ("resourceclasses", "extendedresources"):
        api.delete("CustomResourceDefinition", f"{plural}.resourceclass.io").must()
    for path in (CLASSES_PATH, DEVICES_PATH):
        until(lambda path=path: api.request("GET", path).code == 404, "the kind is gone")
    cluster = LiveCluster(Connection(str(plane_with_crds.kubeconfig())))
    cluster.start()
    try:
        until(
            lambda: len(cluster.not_ready()) == 2 and "not installed" in cluster.not_ready()[0],
            "what is missing",
        )
        apply_crds(plane_with_crds)
        wait_ready(cluster)
    finally:
        apply_crds(plane_with_crds)
        cluster.close()


def test_an_unknown_token_is_told_as_such(plane_with_crds: ControlPlane) -> None:
    connection = Connection(str(plane_with_crds.kubeconfig(token="wrong")))
    with pytest.raises(ApiError, match=r"answered 401 .*renew the kubeconfig or the service account"):
        connection.get("/api/v1/namespaces")


def test_missing_rights_are_told_by_kind(plane_with_crds: ControlPlane, namespace: str) -> None:
    token = plane_with_crds.service_account_token(namespace, "default")
    cluster = LiveCluster(Connection(str(plane_with_crds.kubeconfig(token=token))))
    cluster.start()
    try:
        until(lambda: all("grant the account" in problem for problem in cluster.not_ready()), "all refusals")
        assert [problem.partition(":")[0] for problem in cluster.not_ready()] == list(cluster.kinds)
    finally:
        cluster.close()


def test_closing_ends_the_watches_at_once(live: LiveCluster) -> None:
    wait_ready(live)
    started = time.monotonic()
    live.close()
    assert time.monotonic() - started < 1
    assert [thread for thread in threading.enumerate() if thread.name.startswith("watch-")] == []


def test_a_list_of_several_pages_is_complete(plane_with_crds: ControlPlane, api: Api) -> None:
    names = [f"server-page-{number}" for number in range(PAGE_LIMIT + 1)]
    try:
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda name: api.create(device(name, model="Paged")).must(), names))
        assert len(answers) == len(names)
        listing = list_all(Connection(str(plane_with_crds.kubeconfig())), DEVICES)
        assert set(names) <= {name for (_, name), _ in listing.items}
    finally:
        api.request("DELETE", DEVICES_PATH)
