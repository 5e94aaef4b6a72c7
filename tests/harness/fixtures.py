"""pytest plugin: the control plane of the session, clients, and a fresh namespace per test."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.harness import binaries
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.kubectl import Kubectl
from tests.harness.tiers import cannot_run


@pytest.fixture(scope="session")
def control_plane(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """One control plane for the whole session. The time limit of the first test does not count its start."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        try:
            paths = binaries.ensure(lambda text: print(f"\n{text}", file=sys.stderr, flush=True))
        except binaries.BinariesError as error:
            cannot_run(request.config, str(error))
    with ControlPlane(paths) as plane:
        yield plane


@pytest.fixture
def api(control_plane: ControlPlane) -> Api:
    """A client as cluster admin."""
    return control_plane.api()


@pytest.fixture(scope="session")
def kubectl(control_plane: ControlPlane) -> Kubectl:
    """kubectl as cluster admin."""
    return control_plane.kubectl()


@pytest.fixture
def audit(control_plane: ControlPlane) -> AuditLog:
    return control_plane.audit


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    """The name of a new namespace that has its default service account; deleted after the test."""
    with fresh_namespace(api) as name:
        yield name
