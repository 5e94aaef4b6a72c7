"""Many pods, many nodes: every device is used, and the one that is free is found."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.harness.api import Api
from tests.harness.devices import device_nodes, k80, p100, set_phase
from tests.harness.waiting import until
from tests.scheduling.expect import (
    K80,
    P100,
    asking,
    assert_none_held_twice,
    holders,
    nodes_of,
    place,
    refuse,
)

pytestmark = pytest.mark.usefixtures("scheduler")

CALLERS = 8


def test_two_hundred_pods_use_twenty_mixed_nodes_to_the_last_device(api: Api, namespace: str) -> None:
    cards = {f"mixed-{number}": [k80()] * 4 + [p100()] * 6 for number in range(20)}
    pods = [asking(f"k-{number}", K80) for number in range(80)]
    pods += [asking(f"p-{number}", P100) for number in range(120)]

    with device_nodes(api, cards):
        with ThreadPoolExecutor(CALLERS) as callers:
            list(callers.map(lambda pod: api.create(pod, namespace).must(), pods))
        until(lambda: nodes_of(api.items("Pod", namespace)).total() == 200, "200 pods are bound", 90)
        stored = api.items("Pod", namespace)
        assert refuse(api, namespace, asking("late", K80))

    assert_none_held_twice(stored)
    assert len(holders(stored)) == 200
    assert set(nodes_of(stored).values()) == {10}


# From 100 nodes up kube-scheduler shows an extender a sample unless it is told to score all of them.
def test_the_one_free_device_of_three_hundred_nodes_is_found(api: Api, namespace: str) -> None:
    names = [f"node-{number:03}" for number in range(300)]
    only = names[211]

    with device_nodes(api, {name: [k80("GPU-0")] for name in names}):
        # The capacity of the nodes still counts the sick devices: only the binder knows better.
        with ThreadPoolExecutor(CALLERS) as callers:
            sick = [f"{name}-gpu-0" for name in names if name != only]
            list(callers.map(lambda device: set_phase(api, device, "Unhealthy"), sick))
        pod = place(api, namespace, asking("lucky"))
        reason = refuse(api, namespace, asking("unlucky"))

    assert pod["spec"]["nodeName"] == only
    assert f"299 {K80} needs 1 device: 1 unhealthy" in reason
