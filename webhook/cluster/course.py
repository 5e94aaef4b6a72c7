"""What a list-watch does next: pure decisions, without clock, sleep or network.

The rules are those of client-go's reflector (tools/cache/reflector.go): a list gives the version to watch
from; events and bookmarks move it; an expired version (410) means to list again; everything else is tried
again from the same version. Whatever repeats without progress is slowed down, whether it is an error, a 410
after every list or a watch that the server closes at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from webhook.cluster.api import ApiError
from webhook.core.errors import ClusterUnavailable
from webhook.core.values.names import Json

# The delays grow from 1-2 s to 7.5-15 s. Jitter keeps the processes of a deployment from coming back at once.
# The longest is what lets a process be in step 30 s after an outage: an attempt that began before its end may
# hang for 5 s in connecting, 15 s are waited, and 10 s are left for the list. An API server that is down then
# hears from a replica of two processes, with five watches each, once a second at most.
FIRST_DELAY_SECONDS: Final = 2.0
MAX_DELAY_SECONDS: Final = 15.0
# A resource that is not installed is asked for more often: it costs the API server nothing, and the chart
# that brings the resource waits for this process to become ready.
ABSENT_DELAY_SECONDS: Final = 10.0
# A healthy server holds a watch for minutes (`timeoutSeconds`); one that ends sooner with nothing to say is
# no progress. Bookmarks do not count: they come once at the end even of a watch that is cut short.
MIN_WATCH_SECONDS: Final = 10.0

_MAX_DOUBLINGS: Final = 16


class Setback(Enum):
    """Why the last step made no headway."""

    NONE = auto()
    ENDED_EARLY = auto()
    EXPIRED = auto()
    ABSENT = auto()
    FAILED = auto()


@dataclass(slots=True)
class Watched:
    """What one watch has brought so far."""

    version: str
    changes: int = 0
    seconds: float = 0.0

    @property
    def is_progress(self) -> bool:
        """Whether a watch like this shows that all is well."""
        return self.changes > 0 or self.seconds >= MIN_WATCH_SECONDS


@dataclass(frozen=True, slots=True)
class Course:
    """Where a list-watch stands. Without a version it must list; `setbacks` counts those in a row."""

    version: str | None = None
    setbacks: int = 0
    last: Setback = Setback.NONE

    def listed(self, version: str) -> "Course":
        """Go on from a complete list. Only a watch shows that the trouble is over: setbacks stay counted."""
        return replace(self, version=version, last=Setback.NONE)

    def ended(self, watched: Watched) -> "Course":
        """Go on after the server has closed a watch."""
        if watched.is_progress:
            return Course(watched.version)
        return Course(watched.version, self.setbacks + 1, Setback.ENDED_EARLY)

    def failed(self, error: Exception, watched: Watched | None = None) -> "Course":
        """Go on after an error, of a list or (then with what it had brought) of a watch."""
        setback = _setback(error)
        before = 0 if watched is not None and watched.is_progress else self.setbacks
        version = watched.version if watched is not None else None
        keeps_version = setback is Setback.FAILED and isinstance(error, ClusterUnavailable)
        return Course(version if keeps_version else None, before + 1, setback)

    def delay_seconds(self, between: Callable[[float, float], float]) -> float:
        """Return how long to wait before the next step; `between(a, b)` draws a number of that range."""
        if self.last is Setback.NONE or (self.last is Setback.EXPIRED and self.setbacks == 1):
            return 0.0
        most = ABSENT_DELAY_SECONDS if self.last is Setback.ABSENT else MAX_DELAY_SECONDS
        longest = min(most, FIRST_DELAY_SECONDS * 2 ** min(self.setbacks - 1, _MAX_DOUBLINGS))
        return between(longest / 2, longest)


def _setback(error: Exception) -> Setback:
    status = error.status if isinstance(error, ApiError) else 0
    return {410: Setback.EXPIRED, 404: Setback.ABSENT}.get(status, Setback.FAILED)


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One change of an object. `gone`: it was deleted, or no longer matches the field selector."""

    obj: Json
    version: str
    gone: bool = False
    bookmark: bool = False


def read_event(raw: Json) -> WatchEvent:
    """Read a line of a watch.

    An ERROR event is raised as the ApiError it stands for; what cannot be read is raised as ValueError, after
    which only a new list can be trusted.
    """
    kind, obj = raw.get("type"), raw.get("object")
    obj = obj if isinstance(obj, dict) else {}
    if kind == "ERROR":
        raise ApiError(f"the watch ended with: {obj.get('message') or obj.get('reason')}", _status_of(obj))
    metadata = obj.get("metadata")
    version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    if kind not in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK") or not isinstance(version, str):
        raise ValueError(f"an unreadable watch event of type {kind!r}")
    return WatchEvent(obj, version, gone=kind == "DELETED", bookmark=kind == "BOOKMARK")


def _status_of(status: Json) -> int:
    if status.get("reason") in ("Expired", "Gone"):
        return 410
    code = status.get("code")
    return code if isinstance(code, int) else 500
