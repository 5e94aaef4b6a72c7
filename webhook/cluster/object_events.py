"""Events about any object: one per object and reason, renewed when it is told again."""

import hashlib
import time
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from webhook.cluster.api import Api, ApiError
from webhook.cluster.events import WRITE_SECONDS, time_text
from webhook.core.values.names import Json

# Where Kubernetes keeps the events about objects that stand in no namespace (client-go, tools/record).
CLUSTER_NAMESPACE: Final = "default"


class ObjectEvents:
    """Writes Events of type Warning, as one component."""

    def __init__(self, api: Api, component: str, wall: Callable[[], float] = time.time) -> None:
        self._api = api
        self._component = component
        self._wall = wall

    def tell(self, about: Json, reason: str, message: str) -> None:
        """Write an Event. `about` is an ObjectReference: apiVersion, kind, name, uid, perhaps a namespace.

        Raises ClusterUnavailable, with the API server's status ApiError.
        """
        namespace = about.get("namespace") or CLUSTER_NAMESPACE
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/events"
        name = _event_name(about, reason)
        now = time_text(self._wall())
        event = self._event(about, {"namespace": namespace, "name": name}, reason, message, now)
        try:
            self._api.send("POST", path, event, WRITE_SECONDS)
        except ApiError as error:
            if error.status != 409:
                raise
            renewed = {"message": message, "lastTimestamp": now}
            self._api.send("PATCH", f"{path}/{name}", renewed, WRITE_SECONDS)

    def _event(self, about: Json, metadata: Json, reason: str, message: str, now: str) -> Json:
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": metadata,
            "involvedObject": about,
            "type": "Warning",
            "reason": reason,
            "message": message,
            "count": 1,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "source": {"component": self._component},
            "reportingComponent": self._component,
        }


def _event_name(about: Json, reason: str) -> str:
    digest = hashlib.sha256(f"{about['uid']} {reason}".encode()).hexdigest()[:16]
    return f"{about['name'][:200].rstrip('.-')}.{digest}"
