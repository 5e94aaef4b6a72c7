"""The watches that keep the books: what is followed, whether all of it is there, and pods listed anew."""

import random
import time
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, Final

from webhook.binder.books import Books
from webhook.binder.sinks import (
    CLASSES,
    DEVICES,
    NODES,
    PODS,
    ClassSink,
    DeviceSink,
    LeaseSink,
    NodeSink,
    PodSink,
    lease,
)
from webhook.cluster.api import Api
from webhook.cluster.cache import Watch
from webhook.cluster.list_watch import Timing
from webhook.core.values.names import Json

STOP_SECONDS: Final = 1.0


class Watches:
    """Fills the books. Make and start it after a fork."""

    def __init__(
        self,
        api: Api,
        books: Books,
        clock: Callable[[], float] = time.monotonic,
        between: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._api = api
        self._stopping = Event()
        self._timing = Timing(clock, between, self._stopping.wait, self._stopping.is_set)
        self._pods = Watch(api, PODS, PodSink(books), self._timing)
        self._all: list[Watch[Any]] = [
            Watch(api, CLASSES, ClassSink(books), self._timing),
            Watch(api, NODES, NodeSink(books), self._timing),
            Watch(api, DEVICES, DeviceSink(books), self._timing),
            self._pods,
        ]

    def follow_lease(self, namespace: str, name: str, saw: Callable[[Json | None], None]) -> None:
        """Watch a Lease as well; `saw` is told of each state. Before start."""
        self._all.append(Watch(self._api, lease(namespace, name), LeaseSink(saw), self._timing))

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

    def relist(self) -> int:
        """Ask for a list of pods that begins after this call; returns its number."""
        return self._pods.relist()

    def has_listed(self, number: int) -> bool:
        """Whether the list of pods of this number, or a later one, is complete."""
        return self._pods.has_listed(number)

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
