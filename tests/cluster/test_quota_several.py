"""Several quotas in one namespace, a limit of zero, and a class that no quota names."""

from __future__ import annotations

import pytest

from tests.cluster.expect import (
    HIGH_MEM,
    K80,
    P100,
    asking,
    assert_denied,
    assert_room,
    exceeded,
    key,
    quota_key,
    wait_for_room,
)
from tests.cluster.expect_quota import limit, used
from tests.harness.api import Api
from tests.harness.cluster import pod, quota, quota_synced

pytestmark = pytest.mark.usefixtures("classes")


# kubernetes/website PR#19037, kubernetes/kubernetes#46639: only the first quota counted, and 0 was no limit.
@pytest.fixture
def limited(api: Api, namespace: str) -> str:
    """A namespace with the quotas big (5 K80), small (2 K80) and ban (no P100)."""
    api.create(quota("big", {quota_key(K80): "5", "pods": "50"}), namespace).must()
    quota_synced(api, namespace, "big")
    limit(api, namespace, 2, name="small")
    limit(api, namespace, {P100: 0}, name="ban")
    return namespace


def test_the_quota_that_is_too_small_refuses_and_is_named(api: Api, limited: str) -> None:
    answer = api.create(asking("p", 3), limited)

    assert_denied(answer, 3, 0, 2, quota="small")
    assert exceeded(answer.message).keys() == {("small", K80)}
    assert api.items("Pod", limited) == []


def test_a_pod_is_charged_to_every_quota_that_names_its_class(api: Api, limited: str) -> None:
    api.create(asking("p", 2), limited).must()

    assert (used(api, limited, name="big"), used(api, limited, name="small")) == (2, 2)
    assert_room(api, limited, 0)


def test_a_limit_of_zero_allows_nothing(api: Api, limited: str) -> None:
    answer = api.create(asking("p", 1, P100), limited)

    assert_denied(answer, 1, 0, 0, quota="ban", class_name=P100)
    assert "the quota allows none of it" in answer.message


def test_a_class_that_no_quota_names_is_not_limited(api: Api, limited: str) -> None:
    api.create(asking("p", 4, HIGH_MEM), limited).must()


def test_one_refusal_names_every_quota_that_is_broken(api: Api, limited: str) -> None:
    api.create(asking("first", 2), limited).must()

    answer = api.create(pod("both", {key(K80): 1, key(P100): 1}), limited)

    assert_denied(answer, 1, 2, 2, quota="small")
    assert_denied(answer, 1, 0, 0, quota="ban", class_name=P100)


def test_room_is_back_soon_after_a_quota_is_deleted(api: Api, limited: str) -> None:
    api.create(asking("p", 2), limited).must()

    api.delete("ResourceQuota", "small", limited).must()

    wait_for_room(api, limited, 3)


def test_a_raised_quota_makes_room(api: Api, limited: str) -> None:
    api.create(asking("p", 2), limited).must()

    api.patch("ResourceQuota", "small", {"spec": {"hard": {quota_key(K80): "4"}}}, limited).must()

    wait_for_room(api, limited, 2)


@pytest.mark.parametrize(
    ("spec", "counted"),
    [
        ({}, True),
        ({"scopes": ["BestEffort"]}, True),
        ({"scopes": ["NotBestEffort"]}, False),
        ({"scopes": ["Terminating"]}, False),
        ({"scopes": ["NotTerminating"]}, True),
    ],
    ids=lambda value: "-".join(value.get("scopes", ["none"])) if isinstance(value, dict) else "",
)
def test_a_quota_with_a_scope_limits_the_pods_that_the_server_counts(
    api: Api, namespace: str, spec: dict[str, list[str]], *, counted: bool
) -> None:
    """A pod that asks for devices alone is best effort: only cpu and memory change that."""
    limit(api, namespace, 1, **spec)
    api.create(asking("first"), namespace).must()

    second = api.create(asking("second"), namespace)

    assert used(api, namespace) == (1 if counted else 0)
    assert second.ok is not counted
    if counted:
        assert_denied(second, 1, 1, 1)
