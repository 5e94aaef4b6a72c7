"""The keys that wait to be worked on, after client-go's util/workqueue.

A key stands in the queue once, however often it is added; while it is worked on it is not handed out again,
and is queued anew at the end if it was added meanwhile. A key can be added for later. One that failed comes
back after a delay that doubles with each failure in a row.
"""

import heapq
import random
import time
from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import Final, NamedTuple

# The first failure is mostly a conflict with a write of somebody else: the news of it are already under way.
# The longest delay bounds how long a mended cause stays unnoticed.
FIRST_DELAY_SECONDS: Final = 0.1
MAX_DELAY_SECONDS: Final = 60.0
_MAX_DOUBLINGS: Final = 16


class Key(NamedTuple):
    """What is to be brought up to date: a kind of work, and which object of it."""

    kind: str
    name: str = ""


class WorkQueue:
    """Safe for many threads."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        between: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._clock = clock
        self._between = between
        self._changed = Condition()
        self._ready: deque[Key] = deque()
        self._dirty: set[Key] = set()  # what must be worked on: in `_ready`, or after the work that goes on
        self._working: set[Key] = set()
        self._later: list[tuple[float, Key]] = []
        self._due: dict[Key, float] = {}  # of a key that was added twice for later, the earlier time
        self._failures: dict[Key, int] = {}
        self._open = True
        self._closed = False

    def add(self, key: Key) -> None:
        """Have a key worked on as soon as a worker is free."""
        with self._changed:
            self._add(key)

    def add_after(self, key: Key, seconds: float) -> None:
        """Have a key worked on in so many seconds, or before if it is added for an earlier time."""
        with self._changed:
            due = self._clock() + seconds
            if self._open and due < self._due.get(key, float("inf")):
                self._due[key] = due
                heapq.heappush(self._later, (due, key))
                self._changed.notify()

    def get(self, wait: bool = True) -> Key | None:
        """Return the next key, which is the caller's until `done`; None once closed, or without a wait."""
        with self._changed:
            while True:
                self._take_due()
                if self._closed or (not self._ready and not wait):
                    return None
                if self._ready:
                    break
                self._changed.wait(self._seconds_to_next())
            key = self._ready.popleft()
            self._dirty.discard(key)
            self._working.add(key)
            if self._later:
                self._changed.notify()  # somebody else watches the time now
            return key

    def done(self, key: Key) -> None:
        """End the work on a key."""
        with self._changed:
            self._working.discard(key)
            if key in self._dirty:
                self._ready.append(key)
                self._changed.notify()

    def failed(self, key: Key) -> None:
        """Have a key worked on again, later with each failure in a row."""
        with self._changed:
            count = self._failures.get(key, 0)
            self._failures[key] = count + 1
        longest = min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** min(count, _MAX_DOUBLINGS))
        self.add_after(key, self._between(longest / 2, longest))

    def succeeded(self, key: Key) -> None:
        """Forget the failures of a key."""
        with self._changed:
            self._failures.pop(key, None)

    def shut(self) -> None:
        """Forget all that waits, and take no key until `open`."""
        with self._changed:
            self._open = False
            self._ready.clear()
            self._dirty.clear()
            self._later.clear()
            self._due.clear()
            self._failures.clear()

    def open(self) -> None:
        """Take keys again."""
        with self._changed:
            self._open = True

    def close(self) -> None:
        """Hand out nothing more, and wake everybody who waits for a key."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def depth(self) -> int:
        """How many keys wait for a worker; those for later are not among them."""
        with self._changed:
            self._take_due()
            return len(self._ready)

    def _add(self, key: Key) -> None:
        if key in self._dirty or not self._open:
            return
        self._dirty.add(key)
        if key not in self._working:
            self._ready.append(key)
            self._changed.notify()

    def _take_due(self) -> None:
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            due, key = heapq.heappop(self._later)
            if self._due.get(key) == due:
                del self._due[key]
                self._add(key)

    def _seconds_to_next(self) -> float | None:
        return max(self._later[0][0] - self._clock(), 0.0) if self._later else None
