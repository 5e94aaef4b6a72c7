"""One watched collection: what takes it in, and the thread that keeps that true."""

from threading import Thread
from typing import Generic, TypeVar

from webhook.cluster.api import Api
from webhook.cluster.list_watch import ListWatch, Sink, Timing
from webhook.cluster.listing import Resource
from webhook.cluster.store import Store

T = TypeVar("T")

# A bookmark missed, and half a minute: an API server sends one each minute to a watch that has nothing else
# to say. Older than this, a cache is not believed where a refusal or a pass depends on it. The price of a
# doubt is a read of a millisecond.
STALE_SECONDS = 90.0


class Watch(Generic[T]):
    """A thread that keeps a sink true to one collection."""

    def __init__(self, api: Api, resource: Resource[T], sink: Sink[T], timing: Timing) -> None:
        self.kind = resource.kind
        self._list_watch = ListWatch(api, resource, sink, timing)
        self._thread = Thread(target=self._list_watch.run, name=f"watch-{resource.plural}", daemon=True)

    def start(self) -> None:
        """Begin to list and watch."""
        self._thread.start()

    def relist(self) -> int:
        """Ask for a list that begins after this call; returns its number, for `has_listed`."""
        return self._list_watch.relist()

    def has_listed(self, number: int) -> bool:
        """Whether the list of this number, or a later one, is complete."""
        return self._list_watch.has_listed(number)

    def stop(self, seconds: float) -> None:
        """Wake the thread, which finds that it has been told to stop, and wait for its end so long."""
        self._list_watch.interrupt()
        if self._thread.is_alive():
            self._thread.join(seconds)

    @property
    def not_ready(self) -> str:
        """Why nothing can be answered yet, in words; empty once the first list is there."""
        return "" if self._list_watch.synced else f"{self.kind}: {self._list_watch.problem}"

    @property
    def is_stale(self) -> bool:
        """Whether the cache proves nothing: no watch is open, or the API server has been silent for long."""
        age = self.age_seconds()
        return not self._list_watch.following or age is None or age > STALE_SECONDS

    @property
    def lists(self) -> int:
        """How many complete lists were read, the first included."""
        return self._list_watch.lists

    def age_seconds(self) -> float | None:
        """Return the seconds since the API server last confirmed the cache; None before the first list."""
        return self._list_watch.age_seconds()


class Cache(Watch[T]):
    """The objects of one collection, as this process last saw them."""

    def __init__(self, api: Api, resource: Resource[T], timing: Timing) -> None:
        self.store: Store[T] = Store()
        super().__init__(api, resource, self.store, timing)
