"""What is told of a call: metrics, and a log line where it is worth one. Never a pod's spec."""

import logging
from typing import Final, Protocol

from webhook.serve.logging import FIELDS
from webhook.serve.metrics import ExtenderMetrics

LOGGER: Final = logging.getLogger(__name__)


class Report(Protocol):
    """Who is told."""

    def answered(self, verb: str, result: str, seconds: float) -> None:
        """Take note of an answer; `result` is one word of a small set."""

    def broke(self, verb: str, error: Exception) -> None:
        """Take note of a fault of ours."""


class MeteredReport:
    """Tells the metrics of this process, and the log of faults."""

    def __init__(self, metrics: ExtenderMetrics) -> None:
        self._metrics = metrics

    def answered(self, verb: str, result: str, seconds: float) -> None:
        """Count the answer."""
        self._metrics.requests.labels(verb=verb, result=result).inc()
        self._metrics.duration_seconds.labels(verb=verb).observe(seconds)
        if verb == "bind":
            self._metrics.binds.labels(result=result).inc()

    def broke(self, verb: str, error: Exception) -> None:
        """Write the traceback, which the caller does not get."""
        LOGGER.error("fault in the binder itself", extra={FIELDS: {"verb": verb}}, exc_info=error)
