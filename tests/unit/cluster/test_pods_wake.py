"""The line in a pod's status by which its scheduler tries it again."""

from __future__ import annotations

from typing import Any

from webhook.cluster.pods import Pods

Json = dict[str, Any]


class Recorded:
    """An API server that takes everything."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, Json]] = []

    def send(self, method: str, path: str, document: Json, seconds: float) -> Json:
        self.sent.append((method, path, document))
        return {}


def test_a_pod_is_woken_by_its_status_alone_and_only_if_it_is_still_the_same():
    api = Recorded()
    Pods(api, wall=lambda: 0.0).wake("team-a", "p", "uid-p", 2.0)
    ((method, path, document),) = api.sent
    assert (method, path) == ("PATCH", "/api/v1/namespaces/team-a/pods/p/status")
    assert document["metadata"] == {"uid": "uid-p"}
    assert set(document) == {"metadata", "status"}
    assert document["status"]["message"].startswith("devices have changed at 1970-01-01T00:00:00")
