"""Events on the quota that refused a pod: for those who can raise it, and do not get the refusal themselves.

Whoever creates a pod reads the refusal, and for a controller's pod it stands in an event of the ReplicaSet or
Job; but the owner of the quota sees nothing of either. All other refusals are for the requester to act on, or
are the business of an administrator's alerts (docs/observability.md), so they make no event.

Nothing is written while somebody waits for an answer: a refusal goes into a bounded queue, and one thread
writes at most one event per quota and minute, with the number of refusals in it.
"""

import logging
import secrets
import time
from collections.abc import Callable
from queue import Empty, Full, Queue
from threading import Thread
from typing import Final, Protocol

from webhook.core.errors import ClusterUnavailable
from webhook.core.outcome import Outcome, Reason
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.refusals import Aggregate, Occurrence, Series
from webhook.core.text import shorten
from webhook.serve.logging import Repeated
from webhook.wire.review import Request

# Refusals that wait to be written: a burst of a second. What does not fit is only counted.
QUEUE_LENGTH: Final = 256
# The bound of events.k8s.io on a note, and what kubectl shows in a terminal.
MESSAGE_LENGTH: Final = 1024
STOP_SECONDS: Final = 1.0
# How long more refusals are gathered before the first is looked at: a thread that woke up for each would take
# a share of every other request.
GATHER_SECONDS: Final = 0.1

_log = logging.getLogger(__name__)


class EventSink(Protocol):
    """Where events are written."""

    def write(self, series: Series) -> bool:
        """Write a series as one event, new or with its count and text renewed. Raises ClusterUnavailable.

        Returns False where there is nobody to be told any more.
        """


def occurrences(request: Request, outcome: Outcome) -> tuple[Occurrence, ...]:
    """Return what is to be told of a verdict: nothing of a dry run, nothing where nobody was refused."""
    if request.dry_run:
        return ()
    pod = _pod(request)
    return tuple(
        Occurrence(
            request.namespace,
            fault.about,
            fault.reason.value,
            shorten(f"refused {pod}: {fault.message}", MESSAGE_LENGTH),
        )
        for fault in outcome.faults
        if fault.reason is Reason.QUOTA_EXCEEDED and fault.about
    )


def _pod(request: Request) -> str:
    """Name the pod and, because a refused pod is nowhere to be found, the controller that wants it."""
    named = f"pod {request.title}" if request.title else "a pod"
    for owner in as_list(at(request.document, "metadata").get("ownerReferences")):
        if as_mapping(owner).get("controller") is True:
            return f"{named} of {as_text(owner.get('kind'))} {as_text(owner.get('name'))}"
    return named


class Events:
    """Tells a cluster of refusals, from a thread of its own. Make and start it after a fork."""

    def __init__(
        self,
        sink: EventSink,
        count: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`count` is told `written`, `failed` or `dropped` for each."""
        self._sink = sink
        self._count = count
        self._clock = clock
        self._aggregate = Aggregate(event_name)
        self._queue: Queue[Occurrence | None] = Queue(QUEUE_LENGTH)
        self._failures = Repeated(_log)
        self._thread = Thread(target=self._run, name="events", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def close(self) -> None:
        """Stop; what was not written yet is left."""
        try:
            self._queue.put_nowait(None)
        except Full:
            return  # the thread is a daemon, and ends with the process
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def tell(self, request: Request, outcome: Outcome) -> None:
        """Take note of a verdict. Never waits."""
        for occurrence in occurrences(request, outcome):
            try:
                self._queue.put_nowait(occurrence)
            except Full:
                self._count("dropped")

    def _run(self) -> None:
        while self.step(self._aggregate.wait_seconds(self._clock()), GATHER_SECONDS):
            pass

    def step(self, wait_seconds: float | None, gather_seconds: float = 0.0) -> bool:
        """Wait so long for an occurrence, take in all there is by then, and write what is due.

        Returns False after the order to stop.
        """
        try:
            occurrence = self._queue.get(timeout=wait_seconds)
        except Empty:
            self._write()
            return True
        if occurrence is None:
            return False
        time.sleep(gather_seconds)
        going_on = self._take_in(occurrence)
        self._write()
        return going_on

    def _take_in(self, occurrence: Occurrence | None) -> bool:
        """Count an occurrence and all that wait behind it; False if the order to stop was among them."""
        while occurrence is not None:
            if not self._aggregate.add(occurrence, self._clock()):
                self._count("dropped")
            try:
                occurrence = self._queue.get_nowait()
            except Empty:
                return True
        return False

    def _write(self) -> None:
        for series in self._aggregate.due(self._clock()):
            result = self._result(series)
            self._count(result)
            self._aggregate.tried(series, self._clock(), written=result != "failed")

    def _result(self, series: Series) -> str:
        try:
            return "written" if self._sink.write(series) else "dropped"
        except ClusterUnavailable as error:
            self._failures.warn("an event could not be written", error)
        except Exception as error:  # noqa: BLE001 - one event must not end the thread that writes them all
            self._failures.warn("fault in writing an event", error)
        return "failed"


def event_name(quota: str) -> str:
    """Return a name for an event: the quota's, as far as there is room, and a random part."""
    return f"{quota[:200].rstrip('.-')}.{secrets.token_hex(8)}"
