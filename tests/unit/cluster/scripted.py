"""A scripted API server and a scripted passing of time for the tests of the list-watch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webhook.cluster.api import ApiError
from webhook.cluster.list_watch import ListWatch, Timing
from webhook.cluster.listing import Resource
from webhook.cluster.store import Store
from webhook.core.errors import ClusterUnavailable

Json = dict[str, Any]
Pause = float
"""Seconds that pass while a watch says nothing."""


def thing(name: str, version: str = "1", **fields: Any) -> Json:
    return {"metadata": {"name": name, "namespace": "team-a", "resourceVersion": version}, **fields}


def page(*names: str, version: str = "10", token: str = "") -> Json:
    return {"metadata": {"resourceVersion": version, "continue": token}, "items": [thing(n) for n in names]}


def event(kind: str, name: str, version: str, **fields: Any) -> Json:
    return {"type": kind, "object": thing(name, version, **fields)}


def bookmark(version: str) -> Json:
    return {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": version}}}


def gone_event() -> Json:
    return {
        "type": "ERROR",
        "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"},
    }


def gone() -> ApiError:
    return ApiError("too old resource version", 410)


def silence() -> ClusterUnavailable:
    return ClusterUnavailable("read timed out")


class Clock:
    """Monotonic seconds that only a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class ScriptedSource:
    steps: Sequence[Json | Exception | Pause]
    clock: Clock
    closed: bool = False
    interrupted: bool = False

    def __iter__(self) -> Iterator[Json]:
        for step in self.steps:
            if isinstance(step, Exception):
                raise step
            if isinstance(step, float):
                self.clock.now += step
            else:
                yield step

    def interrupt(self) -> None:
        self.interrupted = True

    def close(self) -> None:
        self.closed = True


Watch = Sequence[Json | Exception | Pause]


@dataclass
class ScriptedApi:
    """Answers lists and watches in the order given; the last answer of each is repeated."""

    lists: list[Json | Exception]
    watches: list[Watch | Exception] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    asked: list[tuple[str, Mapping[str, str | int]]] = field(default_factory=list)
    sources: list[ScriptedSource] = field(default_factory=list)

    def get(self, path: str, query: Mapping[str, str | int] | None = None, seconds: float = 30.0) -> Json:
        self.asked.append(("list", dict(query or {})))
        answer = _next(self.lists)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def watch(self, path: str, query: Mapping[str, str | int], silence_seconds: float) -> ScriptedSource:
        self.asked.append(("watch", dict(query)))
        answer = _next(self.watches)
        if isinstance(answer, Exception):
            raise answer
        self.sources.append(ScriptedSource(answer, self.clock))
        return self.sources[-1]

    @property
    def verbs(self) -> list[str]:
        return [verb for verb, _ in self.asked]

    def queries(self, verb: str) -> list[Mapping[str, str | int]]:
        return [query for asked, query in self.asked if asked == verb]


def _next(answers: list[Any]) -> Any:
    return answers.pop(0) if len(answers) > 1 else answers[0]


class Run:
    """A list-watch over a script that goes on for a given number of steps. `delays` are the waits between."""

    def __init__(self, api: ScriptedApi, steps: int, keep: Callable[[Json], Any] = lambda obj: obj) -> None:
        self.delays: list[float] = []
        self._left = steps
        self.store: Store[Any] = Store()
        self._api = api
        timing = Timing(api.clock, lambda low, high: high, self._wait, lambda: self._left < 0)
        self.list_watch = ListWatch(api, Resource("Thing", "/api/v1", "things", keep), self.store, timing)
        self.list_watch.run()

    def _wait(self, seconds: float) -> bool:
        self._left -= 1
        if self._left < 0:
            return True
        self.delays.append(seconds)
        self._api.clock.now += seconds
        return False

    @property
    def names(self) -> set[str]:
        return {obj["metadata"]["name"] for obj in self.store.snapshot()[1]}
