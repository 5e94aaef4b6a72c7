"""Whether this process may decide: only the binder beside the scheduler that holds the Lease may.

Both are containers of one pod, on one clock, and kube-scheduler's identity begins with the host name that
both see. Two things make a hand-over safe. Who no longer renews its Lease is no holder here before anyone
else can be: after two thirds of its duration, when kube-scheduler itself gives up. And a new holder waits
until every Binding of its predecessor has come through or been given up, then lists the pods, and only then
begins.

The same wait follows the start of a process: one before it may have left a Binding on its way.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Final

from webhook.binder.binding import BIND_SECONDS
from webhook.binder.ports import Relist
from webhook.core.errors import NotReady
from webhook.core.raw import as_text, at
from webhook.core.values.names import Json

# A Binding is on its way for BIND_SECONDS at most; one more for the server that works on it.
TAKEOVER_SECONDS: Final = BIND_SECONDS + 1.0
DEFAULT_DURATION_SECONDS: Final = 15


@dataclass(frozen=True, slots=True)
class Term:
    """What a Lease says. Two terms of one holder differ in their beginning."""

    holder: str = ""
    began: str = ""
    renewed: float = 0.0  # seconds since the epoch, by the holder's clock
    duration_seconds: int = DEFAULT_DURATION_SECONDS

    def is_same_as(self, other: "Term") -> bool:
        """Whether nobody else can have held the Lease between the two."""
        return (self.holder, self.began) == (other.holder, other.began)


def term_of(lease: Json) -> Term:
    """Read a Lease."""
    spec = at(lease, "spec")
    duration = spec.get("leaseDurationSeconds")
    return Term(
        holder=as_text(spec.get("holderIdentity")),
        began=f"{as_text(spec.get('acquireTime'))}/{spec.get('leaseTransitions')}",
        renewed=_seconds(as_text(spec.get("renewTime"))),
        duration_seconds=duration if isinstance(duration, int) and duration > 0 else DEFAULT_DURATION_SECONDS,
    )


class Fence:
    """Follows one Lease; without a name for it, this process is alone and holds always."""

    def __init__(
        self,
        pods: Relist,
        identity: str = "",
        *,
        is_alone: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """`identity` is what the holder must begin with, empty when no Lease is followed.

        `is_alone` says whether no other process of this server is left.
        """
        self._pods = pods
        self._identity = identity
        self._is_alone = is_alone
        self._clock = clock
        self._wall = wall
        self._lock = Lock()
        self._term = Term()
        self._renewal_seen = 0.0  # when the last renewal came to be known
        self._since: float | None = None  # when this process became the holder
        self._list = 0  # the number of the list that was ordered after the wait

    def saw(self, lease: Json | None) -> None:
        """Take in the Lease, None when it is gone."""
        term = term_of(lease) if lease is not None else Term()
        with self._lock:
            if not term.is_same_as(self._term):
                self._since, self._list = None, 0
            if term != self._term:
                self._renewal_seen = self._clock()
            self._term = term

    def check(self) -> None:
        """Raise NotReady, with the reason, unless this process may decide now. It never waits."""
        with self._lock:
            reason = self._reason()
        if reason:
            raise NotReady(reason)

    def _reason(self) -> str:
        problem = self._not_mine()
        if problem:
            return problem
        if not self._is_alone():
            self._since, self._list = None, 0
            return "the process before this one has not ended yet"
        now = self._clock()
        if self._since is None:
            self._since = now
        if now < self._since + TAKEOVER_SECONDS:
            return "taking over: waiting for what the holder before may still be writing"
        if not self._list:
            self._list = self._pods.relist()
        return "" if self._pods.has_listed(self._list) else "taking over: listing the pods"

    def _not_mine(self) -> str:
        if not self._identity:
            return ""
        term = self._term
        if not term.holder:
            return "nobody holds the scheduler's lease yet"
        if term.holder != self._identity and not term.holder.startswith(f"{self._identity}_"):
            return f"the scheduler's lease is held by {term.holder}, not by {self._identity}"
        # The one counts what a watch was late, the other goes on when the clock of the machine is put back.
        age = max(self._wall() - term.renewed, self._clock() - self._renewal_seen)
        if age > term.duration_seconds * 2 / 3:
            return f"the scheduler's lease was last renewed {age:.0f} s ago"
        return ""


def _seconds(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
