"""In this room class pods are placed: the product is installed, and its scheduler and binder run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.harness.scheduling import SchedulerPod, Scheduling
from tests.scheduling.expect import CLASSES, clear


@pytest.fixture(scope="session")
def installed(control_plane_binaries: dict[str, Path]) -> Iterator[Product]:
    """A control plane of this room's own: in another one, pods of other tests would be placed."""
    with ControlPlane(control_plane_binaries) as plane, Product(plane, replicas=1) as product:
        yield product


@pytest.fixture(scope="session")
def control_plane(installed: Product) -> ControlPlane:
    return installed.plane


@pytest.fixture(scope="session")
def scheduling(installed: Product) -> Scheduling:
    """What the chart adds for the scheduler is applied, and all classes of this room are there."""
    for each in CLASSES:
        installed.plane.api().apply(each, "tests", force="true").must()
    return Scheduling(installed)


@pytest.fixture(scope="session")
def running(scheduling: Scheduling) -> Iterator[SchedulerPod]:
    """One replica of the scheduler, from the first test that needs it."""
    with SchedulerPod(scheduling, "scheduler-main") as pod:
        yield pod


@pytest.fixture
def scheduler(running: SchedulerPod) -> SchedulerPod:
    """The replica, holding the Lease. A test that stops a part of it starts it again."""
    return running.wait_leading()


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    """A new namespace; its pods are gone when the next test begins, so that none takes a device of it."""
    with fresh_namespace(api) as name:
        try:
            yield name
        finally:
            clear(api, name)
