"""What is done beside the calls, by one thread: looking again at what is unclear, waking who was missed,
and telling people.

Also the fence is asked here, so that a take-over begins when the Lease changes hands and not at the first
call.
"""

import logging
import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Final, Protocol

from webhook.binder.binding import DECIDE_SECONDS, READ_SECONDS
from webhook.binder.books import Books
from webhook.binder.ports import Guard, PodPort
from webhook.binder.reservation import Reservation, Stage
from webhook.binder.reserving import Seen, look
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.serve.logging import Repeated

STEP_SECONDS: Final = 0.5
# A watch shows a binding within milliseconds. One that was not seen for so long may never be: the
# pod was deleted while the watch was broken.
UNSEEN_SECONDS: Final = 10.0
STOP_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Chore(Protocol):
    """What has to be done now and then."""

    def step(self) -> None:
        """Do what is due."""


class Together:
    """Several chores as one."""

    def __init__(self, *chores: Chore) -> None:
        self._chores = chores

    def step(self) -> None:
        """Do what is due, each in turn."""
        for chore in self._chores:
            chore.step()


class Settler:
    """Looks at reservations that nobody waits for any more. Make and start it after a fork."""

    def __init__(
        self,
        books: Books,
        pods: PodPort,
        guard: Guard,
        beside: Chore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`beside` is what is done as well, by who may decide."""
        self._books = books
        self._pods = pods
        self._guard = guard
        self._beside = beside
        self._clock = clock
        self._failures = Repeated(_log)
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="settler", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(STEP_SECONDS):
            try:
                self.step()
            except Exception:  # noqa: BLE001 - the thread must live: what it does not settle stays held
                _log.exception("settling failed")

    def step(self) -> None:
        """Look once at everything that is due."""
        for reservation in self.due():
            self._settle(reservation)
        try:
            self._guard.check()
        except NotReady:
            return  # who may not decide leaves it to the holder to tell anybody
        self._beside.step()

    def due(self) -> list[Reservation]:
        """Return the reservations that should be looked at."""
        now = self._clock()
        with self._books.lock:
            return [item for item in self._books.reserved.values() if _is_due(item, now)]

    def _settle(self, reservation: Reservation) -> None:
        try:
            pod = self._pods.read(reservation.namespace, reservation.name, READ_SECONDS)
        except ClusterUnavailable as error:
            self._failures.warn("a pod whose bind is unclear could not be read", error)
            return
        seen = look(self._books, reservation, pod)
        # What the API server has said yes to is bound, or the pod is gone.
        if seen is Seen.OPEN and reservation.stage is Stage.DONE:
            return
        with self._books.lock:
            if self._books.reserved.get(reservation.uid) == reservation:
                self._books.release(reservation.uid)


def _is_due(reservation: Reservation, now: float) -> bool:
    wait = {Stage.UNCLEAR: DECIDE_SECONDS, Stage.DONE: UNSEEN_SECONDS}.get(reservation.stage)
    return wait is not None and now >= reservation.since + wait
