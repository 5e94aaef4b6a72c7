"""What a refusal tells the person who reads it, on the way through a real API server and its events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.cluster.expect import HIGH_MEM, K80, asking, exceeded, quota_key
from tests.cluster.expect_quota import limit
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.cluster import pod
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


@contextmanager
def a_device(api: Api, name: str, **properties: str) -> Iterator[None]:
    """An inventory of one device."""
    spec = {"nodeName": "node-a", "deviceID": name, "properties": {"vendor": "nvidia", **properties}}
    api.create(
        {
            "apiVersion": "resourceclass.io/v1alpha1",
            "kind": "ExtendedResource",
            "metadata": {"name": f"node-a-{name}"},
            "spec": spec,
        }
    ).must()
    try:
        yield
    finally:
        api.delete("ExtendedResource", f"node-a-{name}").must()


def test_the_words_are_the_api_servers_own(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)
    api.create(asking("first", 2), namespace).must()

    message = api.create(asking("second"), namespace).message

    name = quota_key(K80)
    assert f"exceeded quota: q, requested: {name}=1, used: {name}=2, limited: {name}=2" in message
    assert message.startswith('admission webhook "pods.resourceclass.io" denied the request: ')


def test_it_names_the_containers_that_ask_and_the_pods_that_use(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)
    for name in ("serve-0", "serve-1"):
        api.create(asking(name), namespace).must()

    def told() -> bool:
        message = api.create(asking("third"), namespace, dryRun="All").message
        assert "asked for by container main (1); none of 2 left" in message
        return "in use by pods serve-0 (1) and serve-1 (1)" in message

    until(told, "the webhook has seen both pods")


def test_it_names_a_class_of_the_same_devices_that_has_room(api: Api, namespace: str) -> None:
    limit(api, namespace, {K80: 0, HIGH_MEM: 3})

    def told() -> bool:
        message = api.create(asking("p"), namespace).message
        return f"there is room for {HIGH_MEM}, which the same devices serve" in message

    with a_device(api, "gpu-0", model="NVIDIA Tesla K80", memory="11441MiB"):
        until(told, "the webhook has seen the device")


def test_a_pod_that_can_never_fit_is_told_so(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)

    message = api.create(asking("huge", 3), namespace).message

    assert "the quota never allows more than 2 at once" in message


def test_several_faults_come_in_one_answer(api: Api, namespace: str) -> None:
    limit(api, namespace, 0)

    message = api.create(asking("p", nodeName="node-a"), namespace).message

    assert "(1) spec.nodeName is set to node-a by hand" in message
    assert "(2) exceeded quota: q" in message


def test_the_audit_log_has_the_verdict_its_reason_and_what_was_asked(
    api: Api, audit: AuditLog, namespace: str
) -> None:
    limit(api, namespace, 0)
    api.create(asking("p"), namespace)

    (event,) = audit.wait_for(verb="create", resource="pods", namespace=namespace)

    ours = "pods.resourceclass.io/"
    said = {name.removeprefix(ours): value for name, value in event["annotations"].items()}
    assert said["decision"] == "refused"
    assert said["reason"] == "QuotaExceeded"
    assert said["classes"] == f"{K80}=1"


def test_a_request_under_the_bare_name_is_refused_under_the_stored_one(api: Api, namespace: str) -> None:
    limit(api, namespace, 0)

    answer = api.create(pod("p", {K80: 1}), namespace)

    assert exceeded(answer.message)["q", K80] == (1, 0, 0)
