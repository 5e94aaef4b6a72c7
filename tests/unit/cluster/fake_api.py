"""An API server of plain data: lists and objects by path, and watches that say nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Condition, Event
from typing import Any

from webhook.cluster.api import ApiError

Json = dict[str, Any]


class QuietSource:
    def __init__(self) -> None:
        self._ended = Event()

    def __iter__(self) -> Iterator[Json]:
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
        self._watching = 0
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
        with self._changed:
            self._watching += 1
            self._changed.notify_all()
        return QuietSource()

    def wait_for_watches(self, count: int) -> None:
        """Return when so many watches have been opened, which is after their lists were taken in."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._watching >= count, timeout=10)
