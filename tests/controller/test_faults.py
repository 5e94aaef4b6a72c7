"""An API server that refuses writes, or carries them out and loses the answer: the end is the same."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.controller.labelled import CLASS, aliyun, devices_of, wait_shown
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.controller import NAME, Controller
from tests.harness.devices import AMOUNTS
from tests.harness.faulty_proxy import FaultyProxy, Request
from tests.harness.product import Product, fresh_class
from tests.harness.waiting import until

MODEL = "nvidia.tesla.m10"
NODES = [f"faulty-{number}" for number in range(8)]
SECONDS = 60.0


class Weather:
    """Of the writes, four in five fail; half of those are carried out all the same. Leases are spared."""

    def __init__(self) -> None:
        self._random = random.Random(6)
        self.failed = 0

    def __call__(self, request: Request) -> int | None:
        if request.method == "GET" or "/leases" in request.path or self._random.random() < 0.2:
            return None
        self.failed += 1
        if self._random.random() < 0.5:
            request.send().read()
        return self._random.choice([429, 500, 503, 504])


@pytest.fixture
def behind(installed: Product, controller: Controller) -> Iterator[FaultyProxy]:
    """The controller's API server is behind a proxy, for a controller in the place of the usual one."""
    controller.stop()
    plane = installed.plane
    token = plane.service_account_token(chart.NAMESPACE, NAME)
    with FaultyProxy(plane) as proxy:
        kubeconfig = plane.kubeconfig(token)
        kubeconfig.write_text(kubeconfig.read_text().replace(plane.server, proxy.url))
        with Controller(installed, "controller-behind", [f"--kubeconfig={kubeconfig}"]):
            yield proxy
    controller.start().wait_leading()


def counted(api: Api) -> int | None:
    """Return how many devices the class says it has; None before its status is written."""
    devices: int | None = api.get(CLASS, MODEL).must().get("status", {}).get("devices")
    return devices


def test_writes_that_fail_and_answers_that_are_lost_end_in_the_same_state(
    api: Api, behind: FaultyProxy
) -> None:
    weather = Weather()
    labels = aliyun("Tesla-M10", "8129MiB", 2)
    with fresh_class(api, "fair", {"model": "Tesla M10"}, quota={"default": 2}), behind.failing(weather):
        for node in NODES:
            metadata, status = {"name": node, "labels": labels}, {"capacity": AMOUNTS, "allocatable": AMOUNTS}
            api.create({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}).must()
        for node in NODES:
            wait_shown(api, node, {MODEL: "2", "fair": "2"}, SECONDS)
        for node in NODES:
            assert len(devices_of(api, node)) == 2
        until(lambda: counted(api) == 16, "all are counted", SECONDS)
    assert weather.failed > 20
    for node in NODES:
        api.delete("Node", node).must()
    until(lambda: not any(devices_of(api, node) for node in NODES), "the devices are gone", SECONDS)
