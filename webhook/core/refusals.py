"""Refusals as they are told to others than the requester: counted, and told at most once a minute.

Pure: times are arguments, in seconds since the epoch.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

INTERVAL_SECONDS: Final = 60.0
# The API server forgets an event after an hour (--event-ttl); the next refusal then begins a new one.
FORGET_SECONDS: Final = 3600.0
# Quotas that are told of at a time. It bounds the writes too: four a second, if all refuse all the time.
MOST_SERIES: Final = 256

_NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One refusal of which a quota's owner should know."""

    namespace: str
    quota: str
    reason: str
    message: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What is told in one event."""
        return self.namespace, self.quota, self.reason


@dataclass(frozen=True, slots=True)
class Series:
    """Refusals of one key, told in one event: `count` in all, `written` of them told already."""

    name: str
    latest: Occurrence
    first: float
    last: float
    count: int = 1
    written: int = 0
    tried: float = -_NEVER

    @property
    def due(self) -> float:
        """When it may be written next; never while nothing is new."""
        return self.tried + INTERVAL_SECONDS if self.count > self.written else _NEVER


class Aggregate:
    """The series of this process: what was counted, and what is due to be written."""

    def __init__(self, name: Callable[[str], str]) -> None:
        """Take what makes a name for an event from the name of its quota."""
        self._name = name
        self._series: dict[tuple[str, str, str], Series] = {}

    def add(self, occurrence: Occurrence, now: float) -> bool:
        """Count an occurrence; False when there are too many quotas to tell of at a time."""
        known = self._series.get(occurrence.key)
        if known is None and len(self._series) >= MOST_SERIES:
            return False
        if known is None or known.last + FORGET_SECONDS <= now:
            self._series[occurrence.key] = Series(self._name(occurrence.quota), occurrence, now, now)
        else:
            self._series[occurrence.key] = replace(known, latest=occurrence, last=now, count=known.count + 1)
        return True

    def due(self, now: float) -> tuple[Series, ...]:
        """Return what may be written now, and forget what the API server has forgotten as well."""
        self._series = {k: s for k, s in self._series.items() if s.last + FORGET_SECONDS > now}
        return tuple(series for series in self._series.values() if series.due <= now)

    def wait_seconds(self, now: float) -> float | None:
        """Return how long nothing more will be due; None when nothing is waiting."""
        soonest = min((series.due for series in self._series.values()), default=_NEVER)
        return None if soonest == _NEVER else max(0.0, soonest - now)

    def tried(self, series: Series, now: float, *, written: bool) -> None:
        """Note that a series was written, or could not be and is tried again a minute later."""
        count = series.count if written else series.written
        self._series[series.latest.key] = replace(series, written=count, tried=now)
