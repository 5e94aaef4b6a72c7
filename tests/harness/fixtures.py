"""pytest plugin: control planes of the session, with and without the product; clients; a namespace per test.

`control_plane`, and with it `api`, `kubectl`, `audit`, `namespace`, is a bare one unless a conftest.py says
otherwise; that of tests/cluster says that the product is installed there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness import binaries
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.kubectl import Kubectl
from tests.harness.product import Product
from tests.harness.tiers import cannot_run


@pytest.fixture(scope="session")
def control_plane_binaries(request: pytest.FixtureRequest) -> dict[str, Path]:
    """The paths of the programs by name; builds them when this machine has not, which takes minutes."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        try:
            return binaries.ensure(lambda text: print(f"\n{text}", file=sys.stderr, flush=True))
        except binaries.BinariesError as error:
            cannot_run(request.config, str(error))


@pytest.fixture(scope="session")
def bare_control_plane(control_plane_binaries: dict[str, Path]) -> Iterator[ControlPlane]:
    """A control plane on which nothing of ours is installed."""
    with ControlPlane(control_plane_binaries) as plane:
        yield plane


@pytest.fixture(scope="session")
def product(control_plane_binaries: dict[str, Path]) -> Iterator[Product]:
    """Another control plane, with the chart applied and two replicas of the webhook."""
    with ControlPlane(control_plane_binaries) as plane, Product(plane) as installed:
        yield installed


@pytest.fixture(scope="session")
def control_plane(bare_control_plane: ControlPlane) -> ControlPlane:
    """The control plane that the other fixtures use."""
    return bare_control_plane


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
