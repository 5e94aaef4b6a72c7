"""Killed at any point, or two at once: one writes, and the end is the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.controller.labelled import DEVICE, devices_of, k80s, labelled_node, names, wait_shown
from tests.harness.api import Api
from tests.harness.controller import NAME, Controller, holder
from tests.harness.product import Product
from tests.harness.waiting import holds, until

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
COUNTS = {f"kill-{number}": 1 + number % 4 for number in range(16)}
DEVICES = sum(COUNTS.values())
TAKEOVER_SECONDS = 40.0


@contextmanager
def bare_nodes(api: Api, names: Iterable[str] = tuple(COUNTS)) -> Iterator[None]:
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(labelled_node(api, name, k80s(COUNTS[name])))
        yield


def finished(api: Api, seconds: float) -> None:
    """Waits until every node has its devices, label and capacity."""
    for name, count in COUNTS.items():
        wait_shown(api, name, {K80: str(count)}, seconds)
        assert len(devices_of(api, name)) == count


def state(api: Api) -> Mapping[str, Json]:
    """What the devices say, but for what differs from one making to the next."""
    return {obj["metadata"]["name"]: obj["spec"] for obj in api.items(DEVICE)}


@pytest.fixture
def second(installed: Product, controller: Controller) -> Iterator[Controller]:
    """Another replica, standing by. Both are as before when the test ends."""
    standby = Controller(installed, "controller-2").start().wait_ready()
    try:
        yield standby
    finally:
        if not controller.process.alive():
            controller.start()
        standby.stop()
        controller.wait_leading()


@pytest.mark.parametrize("made", [1, DEVICES // 2, DEVICES])
def test_one_that_is_killed_in_the_midst_is_followed_by_itself(
    api: Api, controller: Controller, made: int
) -> None:
    controller.stop()
    with bare_nodes(api):
        controller.start()
        until(lambda: len(api.items(DEVICE)) >= made, f"{made} devices are there", TAKEOVER_SECONDS)
        controller.kill()
        controller.start()
        finished(api, TAKEOVER_SECONDS)
        assert len(state(api)) == DEVICES


def test_a_standby_goes_on_where_a_killed_leader_stopped(
    api: Api, controller: Controller, second: Controller
) -> None:
    first, rest = list(COUNTS)[:4], list(COUNTS)[4:]
    with bare_nodes(api, first):
        controller.kill()
        with bare_nodes(api, rest):
            finished(api, TAKEOVER_SECONDS)
    second.wait_leading(1)


def test_a_leader_that_is_stopped_gives_up_the_lease(
    installed: Product, controller: Controller, second: Controller
) -> None:
    assert holder(installed) == controller.name
    assert controller.stop() == 0
    second.wait_leading(6)  # not the 15 seconds of a lease that runs out


def test_a_standby_is_ready_and_writes_nothing(api: Api, controller: Controller, second: Controller) -> None:
    with labelled_node(api, "standby", k80s(1)):
        wait_shown(api, "standby", {K80: "1"})
    assert second.health("/readyz") == 200
    assert not second.leads()
    assert not second.metric("resourceclass_controller_work_total")


def test_a_leader_that_slept_through_its_term_writes_nothing_more(
    installed: Product, api: Api, controller: Controller, second: Controller
) -> None:
    os.kill(controller.process.pid, signal.SIGSTOP)
    try:
        second.wait_leading()
    finally:
        os.kill(controller.process.pid, signal.SIGCONT)
    until(lambda: not controller.leads(), "the old one knows", 10)
    before = controller.metric("resourceclass_controller_work_total", result="done")
    with labelled_node(api, "later", k80s(1)):
        wait_shown(api, "later", {K80: "1"})
    assert controller.metric("resourceclass_controller_work_total", result="done") == before
    assert holder(installed) == second.name


def test_one_whose_lease_somebody_deletes_takes_it_again(
    installed: Product, api: Api, controller: Controller
) -> None:
    api.delete("coordination.k8s.io/v1/Lease", NAME, "resourceclass-system").must()
    until(lambda: holder(installed) == controller.name, "the lease is there again")
    assert controller.leads()


def test_while_the_api_server_is_away_it_lives_and_then_goes_on(
    installed: Product, api: Api, controller: Controller
) -> None:
    installed.plane.stop_api_server()
    try:
        holds(lambda: controller.health("/livez") == 200, "it lives", 3)
    finally:
        installed.plane.start_api_server()
    with labelled_node(api, "after", k80s(1)):
        wait_shown(api, "after", {K80: "1"}, TAKEOVER_SECONDS)
    assert names(devices_of(api, "after")) == []
