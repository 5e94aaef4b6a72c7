"""Events of core/v1, as kubectl shows them: one object per series, whose count grows.

Not events.k8s.io/v1, where nothing but the count of an event may change: the text tells the latest refusal.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from webhook.cluster.api import Api, ApiError
from webhook.core.refusals import Series
from webhook.core.values.names import Json

COMPONENT: Final = "resourceclass-webhook"
WRITE_SECONDS: Final = 5.0


class QuotaEvents:
    """Writes events about ResourceQuotas."""

    def __init__(self, api: Api, uid_of: Callable[[str, str], str]) -> None:
        """`uid_of` gives the uid of a quota by namespace and name, empty where it is not known."""
        self._api = api
        self._uid_of = uid_of

    def write(self, series: Series) -> bool:
        """Create the event of a series, or renew it. Raises ClusterUnavailable.

        Returns False where the namespace is gone or being deleted: nobody is left there to be told.
        """
        path = f"/api/v1/namespaces/{quote(series.latest.namespace, safe='')}/events"
        if series.written and self._renewed(f"{path}/{quote(series.name, safe='')}", series):
            return True
        try:
            self._api.send("POST", path, self._event(series), WRITE_SECONDS)
        except ApiError as error:
            if _is_of_ending_namespace(error):
                return False
            if error.status != 409:  # an earlier attempt came through, and only its answer was lost
                raise
        return True

    def _renewed(self, path: str, series: Series) -> bool:
        """Renew an event; False if the API server has forgotten it."""
        patch = {
            "count": series.count,
            "lastTimestamp": time_text(series.last),
            "message": series.latest.message,
        }
        try:
            self._api.send("PATCH", path, patch, WRITE_SECONDS)
        except ApiError as error:
            if error.status != 404:
                raise
            return False
        return True

    def _event(self, series: Series) -> Json:
        told = series.latest
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "namespace": told.namespace, "name": told.quota}
        uid = self._uid_of(told.namespace, told.quota)
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"namespace": told.namespace, "name": series.name},
            "involvedObject": {**quota, **({"uid": uid} if uid else {})},
            "type": "Warning",
            "reason": told.reason,
            "message": told.message,
            "count": series.count,
            "firstTimestamp": time_text(series.first),
            "lastTimestamp": time_text(series.last),
            "source": {"component": COMPONENT},
            "reportingComponent": COMPONENT,
        }


def _is_of_ending_namespace(error: ApiError) -> bool:
    """Whether the namespace takes no new objects (plugin/pkg/admission/namespace/lifecycle of Kubernetes)."""
    return error.status == 404 or (error.status == 403 and "because it is being terminated" in str(error))


def time_text(seconds: float) -> str:
    """Return a moment as the API server writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
