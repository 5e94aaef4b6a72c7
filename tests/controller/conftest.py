"""In this room the controller runs beside webhook and scheduler: nothing is written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace
from tests.harness.controller import Controller
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.harness.scheduling import SchedulerPod, Scheduling
from tests.scheduling.expect import clear


@pytest.fixture(scope="session")
def installed(control_plane_binaries: dict[str, Path]) -> Iterator[Product]:
    """A control plane of this room's own: in another one, the nodes of other tests would change."""
    with ControlPlane(control_plane_binaries) as plane, Product(plane, replicas=1) as product:
        yield product


@pytest.fixture(scope="session")
def control_plane(installed: Product) -> ControlPlane:
    return installed.plane


@pytest.fixture(scope="session")
def running(installed: Product) -> Iterator[SchedulerPod]:
    """The scheduler with its binder, from the first test that needs it."""
    with SchedulerPod(Scheduling(installed), "scheduler-main") as pod:
        yield pod


@pytest.fixture
def scheduler(running: SchedulerPod) -> SchedulerPod:
    """The scheduler, holding the Lease; one that a test has left without an API server ends by itself."""
    if not running.scheduler.alive():
        running.stop()
        running.start()
    return running.wait_leading()


@pytest.fixture(scope="session")
def main_controller(installed: Product) -> Iterator[Controller]:
    """One replica, from the first test that needs it. A test that stops it starts it again."""
    with Controller(installed) as controller:
        yield controller


@pytest.fixture
def controller(main_controller: Controller) -> Controller:
    """The replica, holding the Lease."""
    return main_controller.wait_leading()


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    """A new namespace; its pods are gone when the next test begins, so that none takes a device of it."""
    with fresh_namespace(api) as name:
        try:
            yield name
        finally:
            clear(api, name)
