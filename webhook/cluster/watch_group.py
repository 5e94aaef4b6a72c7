"""Several watched collections that begin, end and are ready together."""

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, Final

from webhook.cluster.cache import Watch
from webhook.cluster.list_watch import Timing

# A watch thread that sits in a list of a dead server is not waited for; it is a daemon.
STOP_SECONDS: Final = 1.0


class WatchGroup:
    """The watches of one process. Make and start it after a fork; watches are added before the start."""

    def __init__(self, clock: Callable[[], float], between: Callable[[float, float], float]) -> None:
        self._stopping = Event()
        self.timing = Timing(clock, between, self._stopping.wait, self._stopping.is_set)
        self._all: list[Watch[Any]] = []

    def add(self, *watches: Watch[Any]) -> None:
        """Take in watches that were made with the timing of this group."""
        self._all += watches

    def start(self) -> None:
        """Begin to list and watch; returns at once."""
        for watch in self._all:
            watch.start()

    def close(self) -> None:
        """Stop watching."""
        self._stopping.set()
        for watch in self._all:
            watch.stop(STOP_SECONDS)

    def not_ready(self) -> Sequence[str]:
        """Return which collections have not been listed yet, and why."""
        return [watch.not_ready for watch in self._all if watch.not_ready]

    def stale(self) -> Sequence[str]:
        """Return the kinds of which changes may have been missed: no watch is open, or it is silent."""
        return [watch.kind for watch in self._all if watch.is_stale]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that are watched: the values of the metric label `kind`."""
        return tuple(watch.kind for watch in self._all)

    def age_seconds(self, kind: str) -> float | None:
        """Return the seconds since the API server confirmed a kind; None before its first list."""
        return self._watch(kind).age_seconds()

    def lists(self, kind: str) -> int:
        """Return how many complete lists of a kind were read since the start, the first included."""
        return self._watch(kind).lists

    def _watch(self, kind: str) -> Watch[Any]:
        return next(watch for watch in self._all if watch.kind == kind)
