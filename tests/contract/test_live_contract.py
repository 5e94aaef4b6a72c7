"""The contract of all clusters, over a real API server: by watched caches, and by direct reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.contract.ports import ClusterContract
from tests.harness.api import Answer, Api
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.waiting import until
from webhook.admission.ports import Cluster
from webhook.cluster.connection import Connection
from webhook.cluster.direct import DirectCluster
from webhook.cluster.live import LiveCluster

Json = dict[str, Any]


class RealWorld:
    """Writes as the cluster admin; every test has namespaces of its own."""

    def __init__(self, api: Api, cleanup: ExitStack) -> None:
        self._api = api
        self._cleanup = cleanup
        self._names: dict[str, str] = {}

    def namespace(self, name: str) -> str:
        if name not in self._names:
            self._names[name] = self._cleanup.enter_context(fresh_namespace(self._api))
        return self._names[name]

    def put(self, obj: Json) -> None:
        self._api.apply(obj, "contract", force="true").must()
        if obj["apiVersion"].startswith("resourceclass.io/"):
            self._cleanup.callback(self._delete, obj)
        if "status" in obj:
            self._api.apply(obj, "contract", subresource="status", force="true").must()

    def remove(self, obj: Json) -> None:
        self._delete(obj).must()

    def _delete(self, obj: Json) -> Answer:
        metadata = obj["metadata"]
        kind = f"{obj['apiVersion']}/{obj['kind']}"
        return self._api.delete(kind, metadata["name"], metadata.get("namespace"), gracePeriodSeconds=0)


class LiveWorld(RealWorld):
    def __init__(self, api: Api, cleanup: ExitStack, cluster: LiveCluster) -> None:
        super().__init__(api, cleanup)
        self.cluster = cluster


class DirectWorld(RealWorld):
    """A command that runs once reads once: every question is one of a new command."""

    def __init__(self, api: Api, cleanup: ExitStack, connection: Connection) -> None:
        super().__init__(api, cleanup)
        self._connection = connection

    @property
    def cluster(self) -> Cluster:
        return DirectCluster(self._connection)


@pytest.fixture(scope="module")
def connection(plane_with_crds: ControlPlane) -> Iterator[Connection]:
    opened = Connection(str(plane_with_crds.kubeconfig()))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def live(connection: Connection) -> Iterator[LiveCluster]:
    cluster = LiveCluster(connection)
    cluster.start()
    until(lambda: not cluster.not_ready(), "all caches are synced")
    yield cluster
    cluster.close()


@pytest.fixture
def cleanup() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class TestLive(ClusterContract):
    @pytest.fixture
    def world(self, api: Api, cleanup: ExitStack, live: LiveCluster) -> LiveWorld:
        return LiveWorld(api, cleanup, live)


class TestDirect(ClusterContract):
    @pytest.fixture
    def world(self, api: Api, cleanup: ExitStack, connection: Connection) -> DirectWorld:
        return DirectWorld(api, cleanup, connection)
