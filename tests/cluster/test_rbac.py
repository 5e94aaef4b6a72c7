"""The rights of the webhook's service account: all that it needs, and none that it does not use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import asking
from tests.cluster.expect_quota import limit
from tests.cluster.reviews import Direct, pod_review
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.audit import AuditLog, lacked_rights
from tests.harness.product import ACCOUNT, Product
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
GROUPS = ["system:serviceaccounts", f"system:serviceaccounts:{chart.NAMESPACE}", "system:authenticated"]
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
# What it reads, and what it has no business with.
RESOURCES = (
    "resourceclasses.resourceclass.io",
    "extendedresources.resourceclass.io",
    "namespaces",
    "resourcequotas",
    "pods",
    "secrets",
    "configmaps",
    "nodes",
    "serviceaccounts",
    "deployments.apps",
    "leases.coordination.k8s.io",
)


def granted(objects: list[Json]) -> set[tuple[str, str]]:
    """Resource and verb of each right that the chart gives to the webhook."""
    (role,) = (o for o in objects if o["kind"] == "ClusterRole" and o["metadata"]["name"] == ACCOUNT)
    return {
        (resource, verb) for rule in role["rules"] for resource in rule["resources"] for verb in rule["verbs"]
    }


def used(audit: AuditLog) -> set[tuple[str, str]]:
    events = [event for event in audit.entries(user=USER) if event.get("objectRef")]
    return {(event["objectRef"]["resource"], event["verb"]) for event in events}


@pytest.fixture
def exercised(api: Api, direct: Direct, namespace: str) -> None:
    """The webhook has asked all that it ever asks: for a class and a namespace that its caches lack, too."""
    api.create(asking("unknown", 1, "no.such.class"), namespace)
    direct.post("/validate", pod_review(asking("p"), "no-such-namespace"))
    limit(api, namespace, 0)
    assert api.create(asking("refused"), namespace).code == 403
    until(lambda: api.items("Event", namespace, fieldSelector="reason=QuotaExceeded"), "an event")


@pytest.mark.usefixtures("exercised")
def test_every_right_is_used_and_nothing_else_is_asked_for(product: Product, audit: AuditLog) -> None:
    # An event is renewed a minute after it was made: test_quota_events.py does that without the wait.
    assert used(audit) | {("events", "patch")} == granted(product.objects)


@pytest.mark.usefixtures("exercised")
def test_nothing_that_it_asks_for_is_forbidden(audit: AuditLog) -> None:
    refused = [event for event in audit.entries(user=USER) if lacked_rights(event)]

    assert refused == []


@pytest.mark.parametrize("group_resource", RESOURCES)
def test_the_account_can_do_that_and_nothing_else(api: Api, product: Product, group_resource: str) -> None:
    resource, _, group = group_resource.partition(".")
    rights = granted(product.objects)

    for verb in VERBS:
        asked = {"group": group, "resource": resource, "verb": verb}
        assert _may(api, asked) is ((resource, verb) in rights), f"{verb} {group_resource}"


def _may(api: Api, asked: Json) -> bool:
    """Asks as an administrator: the audit log would have a request in the account's name as its own."""
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": USER, "groups": GROUPS, "resourceAttributes": asked},
    }
    allowed: bool = api.create(review).must()["status"]["allowed"]
    return allowed
