"""The watches that keep the books: what is followed, whether all of it is there, and pods listed anew."""

import random
import time
from collections.abc import Callable

from webhook.binder.books import Books
from webhook.binder.sinks import (
    DEVICES,
    NODES,
    ClassSink,
    DeviceSink,
    LeaseSink,
    NodeSink,
    PodSink,
    lease,
)
from webhook.cluster.api import Api
from webhook.cluster.cache import Watch
from webhook.cluster.device_pods import DEVICE_PODS
from webhook.cluster.resources import RESOURCE_CLASSES
from webhook.cluster.watch_group import WatchGroup
from webhook.core.values.names import Json


class Watches(WatchGroup):
    """Fills the books. Make and start it after a fork."""

    def __init__(
        self,
        api: Api,
        books: Books,
        clock: Callable[[], float] = time.monotonic,
        between: Callable[[float, float], float] = random.uniform,
    ) -> None:
        super().__init__(clock, between)
        self._api = api
        self._pods = Watch(api, DEVICE_PODS, PodSink(books), self.timing)
        self.add(
            Watch(api, RESOURCE_CLASSES, ClassSink(books), self.timing),
            Watch(api, NODES, NodeSink(books), self.timing),
            Watch(api, DEVICES, DeviceSink(books), self.timing),
            self._pods,
        )

    def follow_lease(self, namespace: str, name: str, saw: Callable[[Json | None], None]) -> None:
        """Watch a Lease as well; `saw` is told of each state. Before start."""
        self.add(Watch(self._api, lease(namespace, name), LeaseSink(saw), self.timing))

    def relist(self) -> int:
        """Ask for a list of pods that begins after this call; returns its number."""
        return self._pods.relist()

    def has_listed(self, number: int) -> bool:
        """Whether the list of pods of this number, or a later one, is complete."""
        return self._pods.has_listed(number)
