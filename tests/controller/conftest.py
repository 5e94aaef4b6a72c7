"""In this room the controller runs beside webhook and scheduler: nothing is written by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.controller import Controller
from tests.harness.product import Product
from tests.harness.scheduling import SchedulerPod, Scheduling
from tests.scheduling.room import control_plane, installed, namespace

__all__ = ["control_plane", "controller", "installed", "main_controller", "namespace", "running", "scheduler"]


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
