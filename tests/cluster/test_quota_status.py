"""A quota whose status is missing or old limits nothing in the API server. The webhook closes that gap."""

from __future__ import annotations

import pytest

from tests.cluster.expect import K80, OURS, asking, assert_denied, quota_key, wait_for_room
from tests.cluster.expect_quota import at_once, forget_status, limit
from tests.harness.api import Answer, Api
from tests.harness.cluster import quota, quota_synced

pytestmark = pytest.mark.usefixtures("classes")


def assert_has_to_wait(answer: Answer) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    assert OURS in answer.message
    assert "quota q is being computed, retry in a few seconds" in answer.message
    assert "exceeded quota q" in answer.message, "workflow engines try again only when they read these words"


def test_a_quota_without_a_status_lets_nothing_through(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)
    forget_status(api, namespace)

    for answer in at_once(api, namespace, [asking(f"p{number}") for number in range(8)]):
        assert_has_to_wait(answer)

    assert api.items("Pod", namespace) == []


def test_the_servers_own_count_would_have_let_it_through(api: Api, namespace: str) -> None:
    """The reason for the rule: where our check is switched off, the pod passes. See docs/quota.md."""
    api.patch("Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/enforce": "off"}}}).must()
    limit(api, namespace, 2)
    forget_status(api, namespace)

    api.create(asking("p", 3), namespace).must()


def test_a_limit_that_was_just_lowered_does_not_pass_pods_by_the_old_one(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    status = {"status": {"hard": {quota_key(K80): "5"}}}
    api.patch("ResourceQuota", "q", status, namespace, subresource="status").must()

    assert_has_to_wait(api.create(asking("p", 2), namespace))


def test_a_class_that_a_quota_does_not_name_does_not_wait_for_its_status(api: Api, namespace: str) -> None:
    limit(api, namespace, {"nvidia.tesla.p100": 1})
    forget_status(api, namespace)

    api.create(asking("p"), namespace).must()


def test_a_pod_that_had_to_wait_is_admitted_once_the_quota_is_computed(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    forget_status(api, namespace)
    assert_has_to_wait(api.create(asking("p"), namespace))

    api.patch("ResourceQuota", "q", {"spec": {"hard": {quota_key(K80): "2"}}}, namespace).must()

    wait_for_room(api, namespace, 2)
    api.create(asking("p"), namespace).must()


def test_a_manifest_with_a_quota_and_a_pod_does_not_pass_the_quota(api: Api, namespace: str) -> None:
    """Applied in one go the pod comes a millisecond after its quota, before any watch has told of it."""
    api.create(quota("q", {quota_key(K80): "1"}), namespace).must()
    answer = api.create(asking("p", 2), namespace)

    assert answer.code == 403, f"{answer.code} {answer.message}"
    assert OURS in answer.message
    quota_synced(api, namespace, "q")
    assert_denied(api.create(asking("p", 2), namespace), 2, 0, 1)
