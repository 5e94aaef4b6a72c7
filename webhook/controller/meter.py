"""Brings the metrics of a controller up to now."""

import time
from collections.abc import Callable
from typing import Final

from webhook.controller.controller import Controller
from webhook.controller.counts import Counts
from webhook.serve.metrics import controller_metrics, double_metrics

# To add up 5,000 nodes takes some milliseconds, and nobody scrapes more often than this.
EVERY_SECONDS: Final = 5.0


class Meter:
    """Called twice a second by whoever serves the metrics."""

    def __init__(
        self, controller: Controller, counts: Counts, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._controller = controller
        self._counts = counts
        self._clock = clock
        self._next = 0.0
        self._classes: set[str] = set()

    def __call__(self) -> None:
        """Set what is due. A replica that stands by counts nothing: the one that leads does."""
        metrics = controller_metrics()
        leads = self._controller.elector.leads
        metrics.leading.set(int(leads))
        metrics.queue_depth.set(self._controller.queue.depth)
        if self._clock() < self._next:
            return
        self._next = self._clock() + EVERY_SECONDS
        self._count_devices(leads)
        double_metrics().double_allocations.set(self._counts.doubles if leads else 0)

    def _count_devices(self, leads: bool) -> None:
        gauge = controller_metrics().devices
        totals = self._counts.totals() if leads else {}
        for name in self._classes - totals.keys():
            for state in ("free", "used", "unhealthy"):
                gauge.labels(name, state).set(0)
        for name, count in totals.items():
            free = count.devices - count.used - count.unhealthy
            for state, amount in (("free", free), ("used", count.used), ("unhealthy", count.unhealthy)):
                gauge.labels(name, state).set(amount)
        self._classes |= totals.keys()
