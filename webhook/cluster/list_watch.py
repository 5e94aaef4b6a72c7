"""A list, then a watch, then what `course.py` says: keeps one store true to one collection.

Own code and not the informer of the `kubernetes` package, which in version 37 has no read timeout (a silent
watch hangs for ever), no back-off (1,300 watches a second on empty closes), no bookmarks and no pages.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from webhook.cluster.api import Api, ApiError, EventSource
from webhook.cluster.course import Course, Watched, read_event
from webhook.cluster.listing import Resource, list_all
from webhook.cluster.store import Key
from webhook.core.errors import ClusterUnavailable
from webhook.core.values.names import Json

T = TypeVar("T")
V_contra = TypeVar("V_contra", contravariant=True)

# The server is asked to end a watch after 4 to 5 minutes, spread so that not all of them come back at once.
WATCH_SECONDS: Final = (240, 300)
# An API server has something to say each minute, if only a bookmark (defaultBookmarkFrequency of its cacher).
# After two that did not come, and 15 s, the other side hangs. One that is gone is noticed sooner, by TCP.
SILENCE_SECONDS: Final = 135.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Timing:
    """Time and chance, handed in so that tests need neither."""

    clock: Callable[[], float]
    """Monotonic seconds."""
    between: Callable[[float, float], float]
    """Draws a number between two."""
    wait: Callable[[float], bool]
    """Waits so many seconds; True when it was told meanwhile to stop."""
    stopping: Callable[[], bool]
    """Whether it was told to stop."""


class Sink(Protocol[V_contra]):
    """What takes in a collection and its changes, on the thread of the list-watch: a Store does."""

    def replace(self, items: Iterable[tuple[Key, V_contra]]) -> None:
        """Forget everything and hold `items`, in one step."""

    def put(self, key: Key, value: V_contra) -> None:
        """Hold a new or changed value."""

    def remove(self, key: Key) -> None:
        """Forget a value; nothing happens if it is not there."""


class ListWatch(Generic[T]):
    """Fills `store` from `resource` until told to stop."""

    def __init__(self, api: Api, resource: Resource[T], store: Sink[T], timing: Timing) -> None:
        self._api = api
        self._resource = resource
        self._store = store
        self._timing = timing
        self._source: EventSource | None = None
        self._seen_at: float | None = None
        self._following = False
        self._lists = 0
        self._begun = 0
        self._wanted = 0
        self._listed = 0
        self._problem = "not listed yet"

    @property
    def synced(self) -> bool:
        """Whether the store has held a complete list."""
        return self._lists > 0

    @property
    def problem(self) -> str:
        """What stands in the way at the moment, in words; empty when nothing does."""
        return self._problem

    @property
    def lists(self) -> int:
        """How many complete lists were read, the first included."""
        return self._lists

    @property
    def following(self) -> bool:
        """Whether a watch is open now, so that changes come in as they are made."""
        return self._following

    def age_seconds(self) -> float | None:
        """Return the seconds since the API server last confirmed the store; None before the first list."""
        return None if self._seen_at is None else self._timing.clock() - self._seen_at

    def relist(self) -> int:
        """Ask for a list that begins after this call; returns its number, for `has_listed`."""
        self._wanted = number = self._begun + 1
        self.interrupt()
        return number

    def has_listed(self, number: int) -> bool:
        """Whether the list of this number, or a later one, is complete."""
        return self._listed >= number

    def run(self) -> None:
        """List and watch until the wait of `timing` says to stop."""
        course = Course()
        while not self._timing.wait(course.delay_seconds(self._timing.between)):
            course = self.step(course)
            if self._must_list:
                course = Course()

    def interrupt(self) -> None:
        """Wake a thread that is reading a watch."""
        source = self._source
        if source is not None:
            source.interrupt()

    def step(self, course: Course) -> Course:
        """List, or watch until the watch ends, and return how to go on."""
        try:
            return (
                course.listed(self._list()) if course.version is None else self._watch(course, course.version)
            )
        except ClusterUnavailable as error:
            self._report(error)
            return course.failed(error)
        except Exception as error:  # noqa: BLE001
            # Whatever it is, the thread must live: a cache that has quietly stopped is the worst of all.
            _log.exception("%s: a list or a watch failed", self._resource.kind)
            self._problem = f"internal error: {error}"
            return course.failed(error)

    @property
    def _must_list(self) -> bool:
        return self._wanted > self._begun

    def _list(self) -> str:
        self._begun = number = self._begun + 1
        listing = list_all(self._api, self._resource)
        self._store.replace(listing.items)
        self._lists += 1
        self._listed = number
        self._confirm()
        return listing.version

    def _watch(self, course: Course, version: str) -> Course:
        watched = Watched(version)
        started = self._timing.clock()
        try:
            self._follow(watched)
        except ClusterUnavailable as error:
            watched.seconds = self._timing.clock() - started
            self._report(error)
            return course.failed(error, watched)
        finally:
            self._following = False
        watched.seconds = self._timing.clock() - started
        return course.ended(watched)

    def _follow(self, watched: Watched) -> None:
        query = {
            **self._resource.query,
            "watch": "true",
            "resourceVersion": watched.version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": int(self._timing.between(*WATCH_SECONDS)),
        }
        source = self._api.watch(self._resource.path(), query, SILENCE_SECONDS)
        self._source = source
        with closing(source):
            if self._timing.stopping() or self._must_list:
                return  # the order came while the watch was being opened, when there was nothing to wake
            self._confirm()
            self._following = True
            for raw in source:
                self._apply(raw, watched)
                if self._timing.stopping():
                    return

    def _apply(self, raw: Json, watched: Watched) -> None:
        event = read_event(raw)
        self._confirm()
        watched.version = event.version
        if event.bookmark:
            return
        watched.changes += 1
        value = None if event.gone else self._resource.keep(event.obj)
        if value is None:
            self._store.remove(self._resource.key(event.obj))
        else:
            self._store.put(self._resource.key(event.obj), value)

    def _confirm(self) -> None:
        self._seen_at = self._timing.clock()
        if self._problem and self.synced:
            _log.info("%s: in step with the API server", self._resource.kind)
            self._problem = ""

    def _report(self, error: ClusterUnavailable) -> None:
        if self._timing.stopping() or self._must_list:
            return  # woken up by the order to stop, or to list again
        if isinstance(error, ApiError) and error.status == 410:
            return  # an expired version is everyday life; the counter of lists tells of it
        problem = str(error)
        if isinstance(error, ApiError) and error.status == 404:
            problem = "not installed in the cluster: apply the CustomResourceDefinitions of the chart"
        if problem != self._problem:
            # API servers restart, and end their watches then: a warning is what follows if they stay away.
            level = logging.INFO if self._following else logging.WARNING
            _log.log(level, "%s: %s", self._resource.kind, problem)
        self._problem = problem
