"""pytest plugin: control planes of the session, with and without the product; clients; a namespace per test.

`control_plane`, and with it `api`, `kubectl`, `audit`, `namespace`, is a bare one unless a conftest.py says
otherwise; that of tests/cluster says that the product is installed there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.harness import binaries
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.kubectl import Kubectl
from tests.harness.processes import tail
from tests.harness.product import Product
from tests.harness.tiers import MARK, cannot_run

LOG_LINES = 15
_binaries = pytest.StashKey[dict[str, Path] | binaries.BinariesError]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Builds the programs when a test needs them: before the first test, whose time limit is shorter."""
    needed = any(item.get_closest_marker(MARK) for item in session.items)
    if not needed or session.config.option.collectonly:
        return
    terminal = session.config.pluginmanager.getplugin("terminalreporter")
    try:
        session.config.stash[_binaries] = binaries.ensure(terminal.write_line)
    except binaries.BinariesError as error:
        session.config.stash[_binaries] = error


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Shows what the webhook logged last beside a test that failed."""
    report = yield
    plane = getattr(item, "funcargs", {}).get("control_plane")
    if report.failed and isinstance(plane, ControlPlane):
        for log in sorted(plane.folder.glob("webhook-*.log")):
            report.sections.append((log.name, tail(log, LOG_LINES)))
    return report


@pytest.fixture(scope="session")
def control_plane_binaries(request: pytest.FixtureRequest) -> dict[str, Path]:
    """The paths of the programs by name."""
    built = request.config.stash[_binaries]
    if isinstance(built, binaries.BinariesError):
        cannot_run(request.config, str(built))
    return built


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


@pytest.fixture
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
