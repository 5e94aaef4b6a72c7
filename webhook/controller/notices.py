"""What people should know of, told in Events: few, each once an hour, and in the log."""

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Final, Protocol

from webhook.core.errors import ClusterUnavailable
from webhook.core.raw import as_text, at
from webhook.core.text import shorten
from webhook.core.values.names import Json
from webhook.serve.logging import Repeated, event

# An API server forgets an Event after an hour.
AGAIN_SECONDS: Final = 3600.0
# A spoilt cluster must not be flooded as well: so many Events in so many seconds at most.
MOST: Final = 20
PER_SECONDS: Final = 10.0
MESSAGE_LENGTH: Final = 1024

_log = logging.getLogger(__name__)


class EventPort(Protocol):
    """Where Events are written. Raises ClusterUnavailable."""

    def tell(self, about: Json, reason: str, message: str) -> None:
        """Write an Event about an object, given as an ObjectReference."""


class Notices:
    """Tells each thing once. What finds no room, or cannot be written, is told at the next occasion."""

    def __init__(self, events: EventPort, clock: Callable[[], float] = time.monotonic) -> None:
        self._events = events
        self._clock = clock
        self._lock = Lock()
        self._told: dict[tuple[str, str, str], float] = {}
        self._recent: list[float] = []
        self._failures = Repeated(_log)

    def tell(self, obj: Json, reason: str, message: str) -> None:
        """Tell something about an object. Never raises for a cluster that does not answer."""
        text = shorten(message, MESSAGE_LENGTH)
        about = _reference(obj)
        key = about["uid"], reason, text
        if not self._is_due(key):
            return
        event(_log, logging.WARNING, text, kind=about["kind"], name=about["name"], reason=reason)
        try:
            self._events.tell(about, reason, text)
        except ClusterUnavailable as error:
            self._failures.warn("an event could not be written", error)
            with self._lock:
                self._told.pop(key, None)

    def _is_due(self, key: tuple[str, str, str]) -> bool:
        now = self._clock()
        with self._lock:
            self._recent = [at for at in self._recent if at > now - PER_SECONDS]
            if self._told.get(key, -AGAIN_SECONDS) > now - AGAIN_SECONDS or len(self._recent) >= MOST:
                return False
            self._told = {known: at for known, at in self._told.items() if at > now - AGAIN_SECONDS}
            self._told[key] = now
            self._recent.append(now)
            return True


def _reference(obj: Json) -> Json:
    metadata = at(obj, "metadata")
    names = {name: as_text(metadata.get(name)) for name in ("namespace", "name", "uid")}
    kinds = {name: as_text(obj.get(name)) for name in ("apiVersion", "kind")}
    return {**kinds, **{name: value for name, value in names.items() if value}}
