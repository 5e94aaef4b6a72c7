"""The writes of the controller: as one field manager, within a deadline, and only by who may write."""

from collections.abc import Callable
from typing import Any, Final

from webhook.cluster.api import STRATEGIC, Api, ApiError, Query
from webhook.cluster.device_pods import DEVICE_PODS
from webhook.cluster.listing import Resource
from webhook.core.raw import as_text, at
from webhook.core.values.names import Json

# Less than what the Lease leaves between two terms: DURATION_SECONDS - RENEW_SECONDS of election.py.
WRITE_SECONDS: Final = 4.0
FIELD_MANAGER: Final = "resourceclass-controller"
_MANAGED: Final[Query] = {"fieldManager": FIELD_MANAGER}
_GONE: Final = (404, 409)


class Writer:
    """Every write begins with `check`, which raises NotReady when this process may not write now.

    Raises ClusterUnavailable, with the API server's status ApiError.
    """

    def __init__(self, api: Api, check: Callable[[], None]) -> None:
        self._api = api
        self._check = check

    def create(self, resource: Resource[Any], obj: Json) -> Json:
        """Create an object and return it as it is stored."""
        namespace = as_text(at(obj, "metadata").get("namespace"))
        return self._send("POST", resource.path(namespace), obj)

    def patch(self, resource: Resource[Any], obj: Json, changes: Json, subresource: str = "") -> Json:
        """Merge changes into an object, if it is still the one that was seen, and return the result."""
        return self._send("PATCH", _path(resource, obj, subresource), _of(obj, changes))

    def patch_node(self, resource: Resource[Any], node: Json, changes: Json) -> Json:
        """Merge changes into a Node: its labels and its status at once, conditions by their type."""
        return self._send(STRATEGIC, _path(resource, node, "status"), _of(node, changes))

    def delete(self, resource: Resource[Any], obj: Json) -> None:
        """Delete an object, if it is still the one that was seen. One that is gone is fine."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": _uid(obj)}}
        self._check()
        try:
            self._api.send("DELETE", _path(resource, obj), options, WRITE_SECONDS)
        except ApiError as error:
            if error.status not in _GONE:  # 409: another object has its name now
                raise

    def evict(self, namespace: str, pod: str, uid: str) -> None:
        """Ask for the eviction of a pod. Refused with 429 where a PodDisruptionBudget forbids it."""
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"namespace": namespace, "name": pod},
            "deleteOptions": {"preconditions": {"uid": uid}},
        }
        path = f"{DEVICE_PODS.path(namespace, pod)}/eviction"
        self._check()
        try:
            self._api.send("POST", path, eviction, WRITE_SECONDS)
        except ApiError as error:
            if error.status not in _GONE:
                raise

    def _send(self, method: str, path: str, document: Json) -> Json:
        self._check()
        return self._api.send(method, path, document, WRITE_SECONDS, _MANAGED)


def _path(resource: Resource[Any], obj: Json, subresource: str = "") -> str:
    metadata = at(obj, "metadata")
    path = resource.path(as_text(metadata.get("namespace")), as_text(metadata.get("name")))
    return f"{path}/{subresource}" if subresource else path


def _uid(obj: Json) -> str:
    return as_text(at(obj, "metadata").get("uid"))


def _of(obj: Json, changes: Json) -> Json:
    """Name the object that was seen: for a later one of that name the API server answers 422.

    Not beside the status of our own kinds, where it heeds nothing else; such a status is written anew when
    the later one is seen.
    """
    return {**changes, "metadata": {**at(changes, "metadata"), "uid": _uid(obj)}}
