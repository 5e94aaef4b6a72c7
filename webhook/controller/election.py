"""Which of several controllers writes: the one that holds the Lease, after client-go's leaderelection.

Own code and not that of the `kubernetes` package, which in version 37 ends with its first lost term, keeps
its record in an annotation, reads the wall clock for terms, and does not give up the Lease when it stops.

Clocks of two machines are never compared: another holder's term is over when its record has not changed for
its whole duration by our own clock. Our own term ends earlier, RENEW_SECONDS after the beginning of the last
renewal that came through; a write that was under way then has ended (WRITE_SECONDS) before anybody else can
begin.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Final, Protocol

from webhook.cluster.leases import micro_time
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.core.raw import as_text, at
from webhook.core.values.names import Json
from webhook.serve.logging import Repeated, event

# The defaults of client-go.
DURATION_SECONDS: Final = 15
RENEW_SECONDS: Final = 10.0
RETRY_SECONDS: Final = 2.0

_log = logging.getLogger(__name__)


class LeasePort(Protocol):
    """The Lease. Raises ClusterUnavailable."""

    def read(self) -> Json | None:
        """Read the Lease; None if there is none."""

    def write(self, before: Json | None, spec: Json) -> bool:
        """Store a spec in the place of what was read; False if somebody else wrote meanwhile."""


@dataclass(frozen=True, slots=True)
class Led:
    """What follows from beginning and ending to lead, and whether this process knows enough to begin.

    All of them return at once.
    """

    started: Callable[[], None]
    stopped: Callable[[], None]
    may_lead: Callable[[], bool] = lambda: True


class Elector:
    """Tries for the Lease, keeps it, and says at any time whether this process may write."""

    def __init__(
        self,
        leases: LeasePort,
        identity: str,
        led: Led,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._leases = leases
        self._identity = identity
        self._led = led
        self._clock = clock
        self._wall = wall
        self._lock = Lock()
        self._ends = 0.0  # of our term, by our clock
        self._leads = False
        self._seen: Json = {}  # the spec of another holder, and since when it stands there
        self._seen_at = 0.0
        self._failures = Repeated(_log)
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="election", daemon=True)

    def start(self) -> None:
        """Begin to try; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """Give up the Lease, so that another one need not wait for its end."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(RENEW_SECONDS)
        self._lead(False)
        try:
            self._release()
        except ClusterUnavailable as error:
            event(_log, logging.WARNING, "the lease could not be given up", error=str(error))

    @property
    def leads(self) -> bool:
        """Whether this process may write now."""
        with self._lock:
            return self._leads and self._clock() < self._ends

    def check(self) -> None:
        """Raise NotReady unless this process may write now."""
        if not self.leads:
            raise NotReady("this controller does not hold the lease")

    def step(self) -> None:
        """Try once to take or renew the Lease, and begin or end to lead by what came of it."""
        if not self._leads and not self._led.may_lead():
            return
        begun = self._clock()
        try:
            ours = self._take(begun)
        except ClusterUnavailable as error:
            self._failures.warn("the lease could not be renewed or read", error)
            ours = False
        if ours:
            with self._lock:
                self._ends = begun + RENEW_SECONDS
            self._lead(True)
        elif self._clock() >= self._ends:
            self._lead(False)

    def _run(self) -> None:
        seconds = 0.0
        while not self._stopping.wait(seconds):
            try:
                self.step()
            except Exception:  # noqa: BLE001
                # Whatever it is, the thread must live: nobody would notice that nobody leads.
                _log.exception("fault in the election")
            seconds = RETRY_SECONDS

    def _take(self, now: float) -> bool:
        lease = self._leases.read()
        spec = at(lease or {}, "spec")
        holder = as_text(spec.get("holderIdentity"))
        if holder and holder != self._identity:
            self._lose()
            if spec != self._seen:
                self._seen, self._seen_at = spec, self._clock()  # after the read, which may take seconds
            if now < self._seen_at + _duration(spec):
                return False
        return self._leases.write(lease, self._spec(spec))

    def _lose(self) -> None:
        """Somebody else holds the Lease: our term is over, whatever our clock says."""
        with self._lock:
            self._ends = 0.0

    def _spec(self, before: Json) -> Json:
        now = micro_time(self._wall())
        is_new = before.get("holderIdentity") != self._identity
        transitions = before.get("leaseTransitions")
        count = transitions if isinstance(transitions, int) else 0
        return {
            "holderIdentity": self._identity,
            "leaseDurationSeconds": DURATION_SECONDS,
            "acquireTime": now if is_new else before.get("acquireTime"),
            "renewTime": now,
            "leaseTransitions": count + 1 if is_new and before else count,
        }

    def _release(self) -> None:
        lease = self._leases.read()
        spec = at(lease or {}, "spec")
        if spec.get("holderIdentity") == self._identity:
            # An empty holder of a second is what client-go leaves behind.
            now = micro_time(self._wall())
            free = {"holderIdentity": "", "leaseDurationSeconds": 1, "acquireTime": now, "renewTime": now}
            self._leases.write(lease, {**spec, **free})

    def _lead(self, leads: bool) -> None:
        with self._lock:
            if leads == self._leads:
                return
            self._leads = leads
        event(_log, logging.INFO, "leading" if leads else "not leading any more", identity=self._identity)
        (self._led.started if leads else self._led.stopped)()


def _duration(spec: Json) -> float:
    seconds = spec.get("leaseDurationSeconds")
    return seconds if isinstance(seconds, int) and seconds > 0 else DURATION_SECONDS
