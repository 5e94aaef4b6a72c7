"""Single pods: one is bound, read again, or told of in an Event."""

import time
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from webhook.cluster.api import Api
from webhook.cluster.events import time_text
from webhook.cluster.listing import read_one
from webhook.cluster.object_events import ObjectEvents
from webhook.core.values.names import Json

COMPONENT: Final = "resourceclass-binder"


class Pods:
    """What is done with single pods. Raises ClusterUnavailable, with the API server's status ApiError."""

    def __init__(self, api: Api, wall: Callable[[], float] = time.time) -> None:
        self._api = api
        self._wall = wall
        self._events = ObjectEvents(api, COMPONENT, wall)

    def read(self, namespace: str, name: str, seconds: float) -> Json | None:
        """Read a pod; None if there is none of this name."""
        return read_one(self._api, _path(namespace, name), seconds)

    def bind(self, namespace: str, name: str, binding: Json, seconds: float) -> None:
        """POST a Binding. It may arrive twice; the second is a conflict then."""
        self._api.send("POST", f"{_path(namespace, name)}/binding", binding, seconds)

    def wake(self, namespace: str, name: str, uid: str, seconds: float) -> None:
        """Say in a pod's status that devices have changed. For another pod of the name it is refused (422).

        A kubelet writes the whole status, this line included, once it has the pod.
        """
        message = f"devices have changed at {time_text(self._wall())}: the scheduler looks at the pod again"
        document = {"metadata": {"uid": uid}, "status": {"message": message}}
        self._api.send("PATCH", f"{_path(namespace, name)}/status", document, seconds)

    def tell(self, pod: Json, reason: str, message: str) -> None:
        """Write an Event of type Warning about a pod: one object per pod and reason, renewed when repeated.

        `pod` needs metadata with name, namespace and uid.
        """
        about = {key: pod["metadata"][key] for key in ("namespace", "name", "uid")}
        self._events.tell({"apiVersion": "v1", "kind": "Pod", **about}, reason, message)


def _path(namespace: str, name: str) -> str:
    return f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{quote(name, safe='')}"
