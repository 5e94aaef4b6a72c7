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
ENDED = 5  # pods that end in the middle, so that their devices are given on
CALLERS = 8
# What a binder sends arrives so late: within the deadline of a Binding (2 s), and after a hand-over (1 s).
DELAY_SECONDS = 0.8
STEP_SECONDS = 60.0


def hundred_pods_for_sixty_devices(scheduling: Scheduling, api: Api, namespace: str) -> int:
    """Plays the scene; returns how many events were watched. Raises AssertionError or TimeoutError.

    The pods ask for two classes that overlap: the capacity of either class alone would allow all of them.
    """
    cards = {f"race-{number}": [k80()] * CARDS for number in range(NODES)}
    with device_nodes(api, cards), _two(scheduling) as (left, right), Watched(api, namespace) as seen:
        _create(api, namespace)
        _reach(seen, 8)
        _hand_over(left)
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
    assert seen.twice == []
    assert len(pods) == PODS - ENDED
    assert_none_held_twice(pods)
    assert len(holders(pods)) == DEVICES
    return seen.events


@contextmanager
def _two(scheduling: Scheduling) -> Iterator[tuple[SchedulerPod, SchedulerPod]]:
    """Two replicas of the scheduler, the first of them leading, whose binders are far from the API server."""
    proxy = SlowProxy()
    proxy.start()
    proxy.send_to([scheduling.plane.layout.api_port])
    address = f"https://127.0.0.1:{proxy.port}"
    try:
        with SchedulerPod(scheduling, "left", kubeconfig=scheduling.kubeconfig(address)) as left:
            left.wait_leading()
            with SchedulerPod(scheduling, "right", kubeconfig=scheduling.kubeconfig(address)) as right:
                proxy.delay_seconds = DELAY_SECONDS
                yield left, right
                proxy.delay_seconds = 0.0
    finally:
        proxy.stop()


def _create(api: Api, namespace: str) -> None:
    pods = [asking(f"p{number:02}", (K80, HIGH_MEM)[number % 2]) for number in range(PODS)]
    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda pod: api.create(pod, namespace).must(), pods))


def _hand_over(leader: SchedulerPod) -> None:
    """Its scheduler gives up the Lease at once, while Bindings of its binder are still under way."""
    leader.scheduler.stop(signal.SIGTERM)
    leader.binder.kill()
    leader.start()


def _reach(seen: Watched, count: int) -> None:
    until(lambda: len(seen.bound()) >= count, f"{count} pods are bound", STEP_SECONDS)
    assert seen.twice == []
