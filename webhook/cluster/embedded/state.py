"""The objects of a folder cluster as an API server shows them, and what has happened to each.

The folder does not say what has changed: the state compares what it shows now with what it showed before.
"""

import uuid
from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile
from threading import Condition
from typing import Final, NamedTuple

from webhook.cluster.api import ApiError
from webhook.cluster.embedded.paths import KINDS
from webhook.cluster.events import time_text
from webhook.cluster.folder import FolderCluster
from webhook.cluster.identity import ObjectId, identify
from webhook.cluster.view import View
from webhook.core.patch import same
from webhook.core.raw import as_text, at
from webhook.core.values.names import GROUP, Json

# Changes that are remembered for watches. Who is further behind has to list again.
REMEMBERED: Final = 2_000
# An object without a uid in its manifest has always the same, whichever process reads the folder.
_UIDS: Final = uuid.UUID("7d1a3a52-6c0e-5b43-9f5c-3f6f1f6f4d0b")


# What the webhook and the quota controller would have changed is worked out by the view; that takes time.
_RENDERED: Final = ("Pod", "ResourceQuota")
_PLAIN: Final = {(group, kind) for (group, _), kind in KINDS.items()} - {("", kind) for kind in _RENDERED}


class Change(NamedTuple):
    """One change: `before` is None of a new object, `after` of one that is gone."""

    version: int
    key: ObjectId
    before: Json | None
    after: Json | None


class _Entry(NamedTuple):
    source: Json
    shown: Json


class State:
    """Safe for many threads. Hold `changed` over a read and the write that depends on it."""

    def __init__(self, folder: FolderCluster, wall: Callable[[], float]) -> None:
        self.folder = folder
        self.changed = Condition()
        self._wall = wall
        self._view: View | None = None
        self._entries: dict[ObjectId, _Entry] = {}
        self._version = 0
        self._changes: deque[Change] = deque(maxlen=REMEMBERED)

    def get(self, key: ObjectId) -> Json | None:
        """Return an object as it is shown; None if there is none."""
        with self.changed:
            self.look()
            entry = self._entries.get(key)
            return entry.shown if entry is not None else None

    def all(self) -> tuple[dict[ObjectId, Json], int]:
        """Return all objects, and the version at which they stand so."""
        with self.changed:
            self.look()
            return {key: entry.shown for key, entry in self._entries.items()}, self._version

    def after(self, version: int, seconds: float) -> Sequence[Change]:
        """Return the changes after a version; where there are none yet, wait for them so long.

        Raises ApiError with 410 when the version is too old.
        """
        with self.changed:
            self.look()
            if version == self._version:
                self.changed.wait(seconds)
                self.look()
            if self._changes and version < self._changes[0].version - 1:
                raise ApiError(f"too old resource version: {version} ({self._version})", 410)
            return list(takewhile(lambda change: change.version > version, reversed(self._changes)))[::-1]

    def look(self) -> None:
        """Take note of what has changed in the folder, on disk or in memory."""
        with self.changed:
            view = self.folder.view()
            if view is self._view:
                return
            self._view = view
            found = _stored(view)
            for key in self._entries.keys() - found.keys():
                self._note(key, None)
            for key, source in found.items():
                entry = self._entries.get(key)
                if entry is None or not same(entry.source, source):
                    self._note(key, source)
            self.changed.notify_all()

    def _note(self, key: ObjectId, source: Json | None) -> None:
        self._version += 1
        entry = self._entries.pop(key, None)
        before = entry.shown if entry is not None else None
        shown = None
        if source is not None:
            shown = self._shown(key, source, before)
            self._entries[key] = _Entry(source, shown)
        self._changes.append(Change(self._version, key, before, shown))

    def _shown(self, key: ObjectId, source: Json, before: Json | None) -> Json:
        """Return an object with what an API server adds to it."""
        own, known = at(source, "metadata"), at(before or {}, "metadata")
        uid = as_text(own.get("uid")) or known.get("uid") or str(uuid.uuid5(_UIDS, "/".join(key)))
        since = as_text(own.get("creationTimestamp")) or known.get("creationTimestamp")
        since = since or time_text(self._wall())
        given = {"uid": uid, "creationTimestamp": since, "resourceVersion": str(self._version)}
        if key.group == GROUP:
            given |= {"generation": _generation(source, before)}
        return {**source, "metadata": {**own, **given}}


def _generation(source: Json, before: Json | None) -> int:
    """Return the number of the spec: one more for each change of it."""
    known = at(before or source, "metadata").get("generation")
    is_changed = before is not None and before.get("spec") != source.get("spec")
    return (known if isinstance(known, int) else 1) + is_changed


def _stored(view: View) -> dict[ObjectId, Json]:
    """Return all objects of the kinds that are served, each as the API server would have stored it."""
    found = {key: obj for key, obj in view.objects.items() if key[:2] in _PLAIN}
    for kind in _RENDERED:
        found.update((identify(obj), obj) for obj in view.stored("", kind))
    return found
