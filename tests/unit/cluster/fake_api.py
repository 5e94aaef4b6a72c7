"""An API server of plain data: lists and objects by path, and watches that say nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from threading import Condition, Event
from typing import Any

from webhook.cluster.api import ApiError
from webhook.cluster.course import FIRST_DELAY_SECONDS

Json = dict[str, Any]


class QuietSource:
    def __init__(self, followed: Callable[[], None]) -> None:
        self._ended = Event()
        self._followed = followed

    def __iter__(self) -> Iterator[Json]:
        self._followed()
        self._ended.wait()
        yield from ()

    def interrupt(self) -> None:
        self._ended.set()

    def close(self) -> None:
        self._ended.set()


class FakeApi:
    """`objects` maps the path of a collection to its objects; any other path is 404."""

    def __init__(self, objects: Mapping[str, list[Json]]) -> None:
        self.objects = dict(objects)
        self.asked: list[str] = []
        self.failure: Exception | None = None
        self.sources: list[QuietSource] = []
        self._watching = 0
        self._pausing = 0
        self._changed = Condition()

    def get(self, path: str, query: Mapping[str, str | int] | None = None, seconds: float = 30.0) -> Json:
        self.asked.append(path)
        if self.failure is not None:
            raise self.failure
        if path in self.objects:
            return {"metadata": {"resourceVersion": "10"}, "items": self.objects[path]}
        collection, _, name = path.rpartition("/")
        for obj in self.objects.get(collection, []):
            if obj["metadata"]["name"] == name:
                return obj
        raise ApiError("not found", 404)

    def watch(self, path: str, query: Mapping[str, str | int], silence_seconds: float) -> QuietSource:
        self.sources.append(QuietSource(self._followed))
        return self.sources[-1]

    def _followed(self) -> None:
        with self._changed:
            self._watching += 1
            self._changed.notify_all()

    def draw(self, low: float, high: float) -> float:
        """The chance of a cluster over this server: nobody comes back from a pause within a test."""
        if high > FIRST_DELAY_SECONDS:
            return high
        with self._changed:
            self._pausing += 1
            self._changed.notify_all()
        return 3600.0

    def break_watches(self) -> None:
        """End all watches, and return when everybody waits before the next."""
        for source in self.sources:
            source.interrupt()
        with self._changed:
            assert self._changed.wait_for(lambda: self._pausing >= len(self.sources), timeout=10)

    def wait_for_watches(self, count: int) -> None:
        """Return when so many watches have been followed, which is after their lists were taken in."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._watching >= count, timeout=10)
