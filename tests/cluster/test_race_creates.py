"""Creations at the same moment, through two replicas of two processes: never one too many, never one too few.

The scenes are played some times here, and twenty times each by `make soak`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.expect import asking, assert_denied
from tests.cluster.races import ROOM, SCENES, Tally, forty_for_five
from tests.harness.api import Api
from tests.harness.product import Product
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

TIMES = range(3)


# Project-HAMi/HAMi#2363, kubernetes/kubernetes#24494: every request read the same `used`, and all passed.
@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("scene", SCENES)
def test_a_burst_fills_the_quota_exactly(
    api: Api, namespace: str, scene: Callable[[Api, str], Tally], time: int
) -> None:
    tally = scene(api, namespace)

    assert tally.stored >= 2
    late = api.create(asking("late"), namespace)
    assert_denied(late, 1, ROOM, ROOM)


def test_a_burst_is_judged_by_both_replicas_at_once(api: Api, product: Product, namespace: str) -> None:
    forty_for_five(api, namespace)

    for replica in product.webhook.replicas:
        until(
            lambda log=replica.process.log: f'"{namespace}"' in log.read_text(),
            f"{replica.process.name} has logged that it was asked",
        )
