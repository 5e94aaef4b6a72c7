"""The events of one watch of an embedded API server."""

from collections.abc import Callable, Iterator
from typing import Final

from webhook.cluster.embedded.selecting import Selection
from webhook.cluster.embedded.state import Change, State
from webhook.cluster.folder import LOOK_SECONDS
from webhook.core.raw import at
from webhook.core.values.names import Json

# As an API server: the sign of life of a watch that has nothing else to say.
BOOKMARK_SECONDS: Final = 60.0


class Source:
    """Yields what happens to the objects of a collection after a version, until a moment of `clock`."""

    def __init__(
        self,
        state: State,
        selection: Selection,
        version: int,
        until: float,
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._selection = selection
        self._version = version
        self._until = until
        self._clock = clock
        self._ended = False

    def __iter__(self) -> Iterator[Json]:
        """Yield events until the time is over or the watch is interrupted. Raises ApiError with 410."""
        said_at = self._clock()
        while not self._ended and (now := self._clock()) < self._until:
            for change in self._state.after(self._version, LOOK_SECONDS):
                self._version = change.version
                event = self._event(change)
                if event is not None:
                    said_at = now
                    yield event
            if now - said_at >= BOOKMARK_SECONDS:
                said_at = now
                yield _event("BOOKMARK", {"kind": self._selection.target.kind}, self._version)

    def interrupt(self) -> None:
        """End the iteration from another thread."""
        self._ended = True
        with self._state.changed:
            self._state.changed.notify_all()

    def close(self) -> None:
        """End the iteration."""
        self._ended = True

    def _event(self, change: Change) -> Json | None:
        """Return the event that a change is; one that is selected no more is gone for this watch."""
        was, now = (self._selection.shown(change.key, obj) for obj in (change.before, change.after))
        if now is not None:
            return _event("ADDED" if was is None else "MODIFIED", now, change.version)
        return _event("DELETED", change.after or was, change.version) if was is not None else None


def _event(kind: str, obj: Json, version: int) -> Json:
    metadata = {**at(obj, "metadata"), "resourceVersion": str(version)}
    return {"type": kind, "object": {**obj, "metadata": metadata}}
