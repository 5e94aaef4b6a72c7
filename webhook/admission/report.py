"""What is told of a decision: one log line and the metrics. Never the object, its environment or a token."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from webhook.admission.subject import Subject, subject_of
from webhook.core.outcome import Outcome
from webhook.core.text import shorten
from webhook.serve.logging import FIELDS, event
from webhook.serve.metrics import AdmissionMetrics, ServerMetrics
from webhook.wire.review import Request

if TYPE_CHECKING:
    from prometheus_client import Counter

LOGGER: Final = logging.getLogger(__name__)

# Names have at most 253 characters; whoever posts by hand may send more.
_NAME_LENGTH: Final = 256


@dataclass(frozen=True, slots=True)
class Decision:
    """One answered review. `webhook` is the entry that was asked, such as `mutate`."""

    webhook: str
    request: Request
    outcome: Outcome
    seconds: float


class Report(Protocol):
    """Who is told."""

    def working(self) -> AbstractContextManager[object]:
        """Surround the work on one call."""

    def decided(self, decision: Decision) -> None:
        """Take note of a verdict."""

    def failed(self, webhook: str, code: int, reason: str, message: str) -> None:
        """Take note of a call that got no verdict but the HTTP status `code`."""

    def broke(self, webhook: str, error: Exception) -> None:
        """Take note of a fault of ours."""


class LoggedReport:
    """Tells the log and the metrics of this process."""

    def __init__(
        self,
        admission: AdmissionMetrics,
        server: ServerMetrics,
        tell: Callable[[Request, Outcome], None] | None = None,
    ) -> None:
        """`tell` takes note of each verdict for those who do not get the answer; it never waits."""
        self._admission = admission
        self._server = server
        self._tell = tell
        self._counters: dict[tuple[str, ...], Counter] = {}

    def working(self) -> AbstractContextManager[object]:
        """Count the call among those in flight while it is worked on."""
        return self._admission.in_flight.track_inprogress()

    def decided(self, decision: Decision) -> None:
        """Count the verdict and write its line."""
        request, outcome = decision.request, decision.outcome
        self._counter(decision).inc()
        self._admission.duration_seconds.observe(decision.seconds)
        event(LOGGER, logging.INFO, "decided", **_fields(decision))
        if self._tell is not None and not outcome.allowed:
            self._tell(request, outcome)

    def _counter(self, decision: Decision) -> "Counter":
        """Return the series of a verdict. It is remembered: to look it up costs more than to count."""
        request, outcome = decision.request, decision.outcome
        values = (  # in the order in which the metric names its labels
            decision.webhook,
            request.operation,
            _known_kind(request),
            _word(outcome.allowed),
            outcome.reason,
            _word(request.dry_run),
        )
        counter = self._counters.get(values)
        if counter is None:
            counter = self._counters[values] = self._admission.requests.labels(*values)
        return counter

    def failed(self, webhook: str, code: int, reason: str, message: str) -> None:
        """Count a call without verdict and say why."""
        self._server.count_refused(code, reason)
        text = shorten(message)
        event(LOGGER, logging.WARNING, "not decided", webhook=webhook, code=code, reason=reason, error=text)

    def broke(self, webhook: str, error: Exception) -> None:
        """Count a fault of ours and write its traceback, which the caller does not get."""
        self._server.count_refused(500, "internal_error")
        LOGGER.error("fault in the webhook itself", extra={FIELDS: {"webhook": webhook}}, exc_info=error)


def _fields(decision: Decision) -> dict[str, object]:
    request, outcome = decision.request, decision.outcome
    return {
        "webhook": decision.webhook,
        "uid": shorten(request.uid, _NAME_LENGTH),
        "namespace": shorten(request.namespace, _NAME_LENGTH),
        "name": shorten(request.title, _NAME_LENGTH),
        "kind": shorten(request.kind, _NAME_LENGTH),
        "operation": request.operation,
        "dry_run": request.dry_run,
        "allowed": outcome.allowed,
        "reason": outcome.reason,
        "ms": round(decision.seconds * 1000, 2),
    }


def _known_kind(request: Request) -> str:
    """Return the kind, or `other`: a metric must not grow a series for everything that is posted."""
    return request.kind if subject_of(request) is not Subject.OTHER else "other"


def _word(truth: bool) -> str:
    return "true" if truth else "false"
