"""Much work under the lock of the books, in slices: other calls take their turn in between.

What a slice has found out is remembered by the books, so the next one begins anew and comes further.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from webhook.binder.books import Books

T = TypeVar("T")

# CPU time: about how long a bind may have to wait for the lock. Ten times what it takes to go through the
# names of 5,000 nodes again.
SLICE_SECONDS: Final = 0.01
# Enough for a thread that waits for the lock to wake up and take it; else the one that gave it up is faster.
BREATH_SECONDS: Final = 0.0005
# Where more was to be remembered than there is room for, slices would never come to an end.
MOST_SLICES: Final = 500


class _Over(Exception):
    """The slice is over."""


class Slice:
    """The CPU time for which the lock is held."""

    def __init__(self, clock: Callable[[], float], until: float) -> None:
        self._clock = clock
        self._until = until

    def done(self) -> None:
        """Take note that something new was worked out, and remembered. Raises what ends the slice."""
        if self._clock() > self._until:
            raise _Over


def in_slices(books: Books, answer: Callable[[Slice], T], pause: Callable[[float], object] = time.sleep) -> T:
    """Return the answer, which is asked for with the lock held until it needs no more than one slice."""
    for _ in range(MOST_SLICES):
        with books.lock:
            try:
                return answer(Slice(books.cpu_clock, books.cpu_clock() + SLICE_SECONDS))
            except _Over:
                pass
        pause(BREATH_SECONDS)
    with books.lock:
        return answer(Slice(books.cpu_clock, float("inf")))
