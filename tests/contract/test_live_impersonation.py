"""Acting as somebody else, as a real API server understands it."""

from __future__ import annotations

import json

import yaml

from tests.harness.controlplane import ControlPlane
from webhook.cluster.connection import Connection

USER = {
    "as": "jürgen@example.com",
    "as-uid": "7",
    "as-groups": ["ops", "night shift"],
    "as-user-extra": {"reason": ["outage", "50%"], "example.com/ticket": ["a"]},
}
REVIEW = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}


def test_the_api_server_takes_requests_for_those_of_the_user_whom_the_kubeconfig_names(
    control_plane: ControlPlane,
) -> None:
    path = control_plane.kubeconfig()
    config = yaml.safe_load(path.read_text())
    config["users"][0]["user"].update(USER)
    path.write_text(json.dumps(config))
    connection = Connection(str(path))
    try:
        answer = connection.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", REVIEW)
    finally:
        connection.close()
    found = answer["status"]["userInfo"]
    assert (found["username"], found["uid"]) == (USER["as"], USER["as-uid"])
    assert found["groups"] == ["ops", "night shift", "system:authenticated"]
    assert found["extra"] == USER["as-user-extra"]
