"""Schedulers and binders are killed and hand over, the API server restarts: no device is ever held twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.api import Api
from tests.harness.scheduling import SchedulerPod, Scheduling
from tests.scheduling.races import DEVICES, hundred_pods_for_sixty_devices


@pytest.fixture
def no_scheduler(running: SchedulerPod) -> Iterator[None]:
    """The scheduler of the other tests is stopped: the race has its own."""
    running.stop()
    yield
    running.start().wait_leading()


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("no_scheduler")
def test_hundred_pods_race_for_sixty_devices(scheduling: Scheduling, api: Api, namespace: str) -> None:
    events = hundred_pods_for_sixty_devices(scheduling, api, namespace)

    assert events >= DEVICES
