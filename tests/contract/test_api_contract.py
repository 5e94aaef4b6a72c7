"""The contract of all API servers, over the embedded one and over a real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract.api_ports import ApiContract, World
from tests.harness.controlplane import ControlPlane
from webhook.cluster.connection import Connection
from webhook.cluster.embedded.api import EmbeddedApi
from webhook.cluster.folder import FolderCluster


@pytest.fixture(scope="module")
def connection(plane_with_crds: ControlPlane) -> Iterator[Connection]:
    opened = Connection(str(plane_with_crds.kubeconfig()))
    yield opened
    opened.close()


class TestEmbedded(ApiContract):
    @pytest.fixture
    def world(self) -> World:
        return World(EmbeddedApi(FolderCluster()), "team-a")


class TestReal(ApiContract):
    @pytest.fixture
    def world(self, connection: Connection, namespace: str) -> World:
        return World(connection, namespace)
