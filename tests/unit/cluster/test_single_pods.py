"""Single pods at an API server: what is sent, and to where."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.cluster.api import ApiError
from webhook.cluster.pods import Pods


class Recording:
    """An API server that notes what is sent; `refusals` are the statuses of the next answers."""

    def __init__(self, *refusals: int) -> None:
        self.sent: list[tuple[str, str, Any, float]] = []
        self._refusals = list(refusals)

    def get(self, path: str, query: Any = None, seconds: float = 30.0) -> Any:
        self.sent.append(("GET", path, None, seconds))
        self._refuse()
        return {"metadata": {"name": "p"}}

    def send(self, method: str, path: str, document: Any, seconds: float = 30.0) -> Any:
        self.sent.append((method, path, document, seconds))
        self._refuse()
        return {}

    def watch(self, path: str, query: Any, silence_seconds: float) -> Any:
        raise NotImplementedError

    def _refuse(self) -> None:
        if self._refusals:
            raise ApiError("no", self._refusals.pop(0))


POD = {"metadata": {"namespace": "team-a", "name": "p", "uid": "U1"}}


def told(api: Recording, wall: float = 1_800_000_000.0) -> Pods:
    return Pods(api, lambda: wall)


def test_binds_by_the_subresource_within_the_time_given():
    api = Recording()
    told(api).bind("team-a", "p", {"kind": "Binding"}, 2.0)
    assert api.sent == [("POST", "/api/v1/namespaces/team-a/pods/p/binding", {"kind": "Binding"}, 2.0)]


def test_reads_one_pod():
    api = Recording()
    assert told(api).read("team-a", "p", 0.5) == {"metadata": {"name": "p"}}
    assert api.sent == [("GET", "/api/v1/namespaces/team-a/pods/p", None, 0.5)]


def test_a_pod_that_is_not_there_is_none():
    assert told(Recording(404)).read("team-a", "p", 0.5) is None


def test_another_refusal_of_a_read_is_an_error():
    with pytest.raises(ApiError):
        told(Recording(403)).read("team-a", "p", 0.5)


def test_an_event_names_the_pod_and_its_uid():
    api = Recording()
    told(api).tell(POD, "DamagedDeviceRecord", "mend it")
    ((method, path, event, _),) = api.sent
    assert (method, path) == ("POST", "/api/v1/namespaces/team-a/events")
    assert event["involvedObject"] == {"apiVersion": "v1", "kind": "Pod", **POD["metadata"]}
    assert (event["type"], event["reason"], event["message"]) == ("Warning", "DamagedDeviceRecord", "mend it")


def test_an_event_that_is_there_is_renewed():
    api = Recording(409)
    told(api).tell(POD, "DamagedDeviceRecord", "mend it")
    (_, _, event, _), (method, path, patch, _) = api.sent
    assert (method, path) == ("PATCH", f"/api/v1/namespaces/team-a/events/{event['metadata']['name']}")
    assert patch == {"message": "mend it", "lastTimestamp": "2027-01-15T08:00:00Z"}


def test_each_reason_of_a_pod_is_an_event_of_its_own():
    api = Recording()
    for reason in ("DamagedDeviceRecord", "DeviceHeldTwice", "DamagedDeviceRecord"):
        told(api).tell(POD, reason, "mend it")
    names = [event["metadata"]["name"] for _, _, event, _ in api.sent]
    assert names[0] == names[2] != names[1]


def test_an_event_that_may_not_be_written_is_an_error():
    with pytest.raises(ApiError):
        told(Recording(403)).tell(POD, "DamagedDeviceRecord", "mend it")
