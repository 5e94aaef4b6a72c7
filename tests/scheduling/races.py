"""Many pods for few devices while everything is taken away in turn.

A test plays it once, `make soak` often.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.harness.api import Api
from tests.harness.devices import device_nodes, k80
from tests.harness.scheduling import SchedulerPod, Scheduling
from tests.harness.slow_proxy import SlowProxy
from tests.harness.waiting import holds, until
from tests.scheduling.expect import HIGH_MEM, K80, asking, assert_none_held_twice, end, holders
from tests.scheduling.watched import Watched

NODES, CARDS = 6, 10
DEVICES = NODES * CARDS
PODS = 100
URGENT = 20  # of them, which come during the hand-over and are placed first
ENDED = 5  # pods that end in the middle, so that their devices are given on
CALLERS = 8
# What a binder sends arrives so late before the hand-over: within the deadline of a Binding (2 s), and after
# the other scheduler has the Lease (1 s).
LATE_SECONDS = 1.7
DELAY_SECONDS = 0.3
STEP_SECONDS = 60.0


def hundred_pods_for_sixty_devices(scheduling: Scheduling, api: Api, namespace: str) -> int:
    """Plays the scene; returns how many events were watched. Raises AssertionError or TimeoutError.

    The pods ask for two classes that overlap: the capacity of either class alone would allow all of them.
    """
    cards = {f"race-{number}": [k80()] * CARDS for number in range(NODES)}
    with (
        device_nodes(api, cards),
        _priority(api) as urgent,
        _far(scheduling) as proxy,
        _two(scheduling, proxy) as (left, right),
        Watched(api, namespace) as seen,
    ):
        proxy.delay_seconds = LATE_SECONDS
        _create(api, namespace, range(PODS - URGENT))
        left.scheduler.stop(signal.SIGTERM)  # it gives up the Lease at once
        left.binder.kill()
        # Not those whose Bindings are under way, but others now ask for the devices.
        _create(api, namespace, range(PODS - URGENT, PODS), priorityClassName=urgent)
        right.wait_leading()
        left.start()
        proxy.delay_seconds = DELAY_SECONDS
        _reach(seen, 20)
        for name in seen.bound()[:ENDED]:
            end(api, namespace, name)
        right.kill()
        right.start()
        _reach(seen, 30)
        scheduling.plane.stop_api_server()
        scheduling.plane.start_api_server()
        until(lambda: api.list("ExtendedResource").ok, "our kinds are served again")
        _reach(seen, 40)
        left.kill()
        left.start()
        _reach(seen, DEVICES)
        holds(lambda: len(seen.bound()) == DEVICES and not seen.twice, "60 are bound", 3)
        pods = api.items("Pod", namespace)
    assert not seen.twice, seen.twice
    assert len(pods) == PODS - ENDED
    assert_none_held_twice(pods)
    assert len(holders(pods)) == DEVICES
    return seen.events


@contextmanager
def _far(scheduling: Scheduling) -> Iterator[SlowProxy]:
    """The API server from far away."""
    proxy = SlowProxy()
    proxy.start()
    proxy.send_to([scheduling.plane.layout.api_port])
    try:
        yield proxy
    finally:
        proxy.stop()


@contextmanager
def _two(scheduling: Scheduling, proxy: SlowProxy) -> Iterator[tuple[SchedulerPod, SchedulerPod]]:
    """Two replicas of the scheduler, the first of them leading, whose binders go through the proxy."""
    kubeconfig = scheduling.kubeconfig(f"https://127.0.0.1:{proxy.port}")
    with SchedulerPod(scheduling, "left", kubeconfig=kubeconfig) as left:
        left.wait_leading()
        with SchedulerPod(scheduling, "right", kubeconfig=kubeconfig) as right:
            yield left, right
            proxy.delay_seconds = 0.0


@contextmanager
def _priority(api: Api) -> Iterator[str]:
    """A priority class whose pods are placed first, and displace nobody."""
    body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "preemptionPolicy": "Never"}
    api.create({**body, "metadata": {"name": "urgent"}, "value": 1000}).must()
    try:
        yield "urgent"
    finally:
        api.delete("PriorityClass", "urgent")


def _create(api: Api, namespace: str, numbers: range, **spec: str) -> None:
    pods = [asking(f"p{number:02}", (K80, HIGH_MEM)[number % 2], **spec) for number in numbers]
    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda pod: api.create(pod, namespace).must(), pods))


def _reach(seen: Watched, count: int) -> None:
    until(lambda: len(seen.bound()) >= count, f"{count} pods are bound", STEP_SECONDS)
    assert not seen.twice, seen.twice
