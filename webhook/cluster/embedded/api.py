"""Requests to the API server that a folder of manifests stands for."""

import time
from collections.abc import Callable

from webhook.cluster.api import READ_SECONDS, STRATEGIC, ApiError, Query
from webhook.cluster.embedded.paths import Target, target_of
from webhook.cluster.embedded.selecting import Selection, selected_by
from webhook.cluster.embedded.source import Source
from webhook.cluster.embedded.state import State
from webhook.cluster.embedded.writes import Writes
from webhook.cluster.folder import FolderCluster
from webhook.core.values.names import Json


class EmbeddedApi:
    """The port `Api` over a folder cluster. Safe for many threads; what it returns must not be changed."""

    def __init__(
        self,
        folder: FolderCluster,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._state = State(folder, wall)
        self._writes = Writes(self._state, wall)
        self._clock = clock

    def get(self, path: str, query: Query | None = None, seconds: float = READ_SECONDS) -> Json:  # noqa: ARG002
        """Read an object, or a collection, which is whole: an API server need not heed `limit`."""
        target = _target(path)
        if target.name:
            return self._writes.existing(target)
        selection, (objects, version) = _selection(target, query), self._state.all()
        items = [obj for key, obj in objects.items() if selection.shown(key, obj) is not None]
        return {"kind": f"{target.kind}List", "metadata": {"resourceVersion": str(version)}, "items": items}

    def send(
        self,
        method: str,
        path: str,
        document: Json,
        seconds: float = READ_SECONDS,  # noqa: ARG002
        query: Query | None = None,  # noqa: ARG002
    ) -> Json:
        """Write, in memory; the answer is there at once, and nobody's name is kept beside the fields."""
        target = _target(path)
        match method, target.subresource:
            case "POST", "":
                return self._writes.create(target, document)
            case "POST", "binding" if target.kind == "Pod":
                return self._writes.bind(target, document)
            case "POST", "eviction" if target.kind == "Pod":
                return self._writes.delete(target, document.get("deleteOptions") or {})
            case "PUT", "":
                return self._writes.replace(target, document)
            case (("PATCH" | "PATCH strategic"), ("" | "status")):
                return self._writes.patch(target, document, strategic=method == STRATEGIC)
            case "DELETE", "":
                return self._writes.delete(target, document)
        raise ApiError(f"the folder of manifests serves no {method} of {path}", 405)

    def watch(self, path: str, query: Query, silence_seconds: float) -> Source:  # noqa: ARG002
        """Open a watch from a resourceVersion, for `timeoutSeconds`."""
        version, until = int(query["resourceVersion"]), self._clock() + float(query["timeoutSeconds"])
        return Source(self._state, _selection(_target(path), query), version, until, self._clock)


def _target(path: str) -> Target:
    target = target_of(path)
    if target is None:
        raise ApiError(f"the folder of manifests serves nothing under {path}", 404)
    return target


def _selection(target: Target, query: Query | None) -> Selection:
    return Selection(target, selected_by(str((query or {}).get("fieldSelector", ""))))
