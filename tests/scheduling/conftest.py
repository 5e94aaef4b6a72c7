"""In this room class pods are placed: the product is installed, and its scheduler and binder run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.product import Product
from tests.harness.scheduling import SchedulerPod, Scheduling
from tests.scheduling.expect import CLASSES
from tests.scheduling.room import control_plane, installed, namespace

__all__ = ["control_plane", "installed", "namespace", "running", "scheduler", "scheduling"]


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
