"""What never became a pod: a name that is taken, a dry run, a pod that somebody else refuses after us."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cluster.expect import K80, OURS, asking, assert_room, exceeded, quota_key, wait_for_room
from tests.cluster.expect_quota import limit, used
from tests.harness.api import Answer, Api
from tests.harness.cluster import fresh_namespace
from tests.harness.product import REQUESTS, Product
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

OTHER = "after-resourceclass"


def six_of_the_same_name(api: Api, namespace: str) -> list[Answer]:
    limit(api, namespace, 3)
    return [api.create(asking("same"), namespace) for _ in range(6)]


# kubernetes/kubernetes#76787, #70563: the server charges a quota before it finds out that the name is taken.
def test_a_name_that_is_taken_gets_the_same_answers_as_without_us(api: Api, namespace: str) -> None:
    ours = six_of_the_same_name(api, namespace)
    with fresh_namespace(api, {"resourceclass.io/webhook": "ignore"}) as without_us:
        native = six_of_the_same_name(api, without_us)

    assert [answer.code for answer in ours] == [answer.code for answer in native]
    assert [answer.code for answer in ours[:3]] == [201, 409, 409]


def test_a_refusal_for_a_count_that_runs_high_says_so(api: Api, namespace: str) -> None:
    last = six_of_the_same_name(api, namespace)[-1]

    assert exceeded(last.message)["q", K80] == (1, used(api, namespace), 3)
    assert "though 1 unit can be seen in use: it counts anew within minutes" in last.message


def test_a_count_that_runs_high_heals_at_the_next_recount(api: Api, namespace: str) -> None:
    six_of_the_same_name(api, namespace)

    # A changed limit starts a recount, as the resync of every 5 minutes would.
    api.patch("ResourceQuota", "q", {"spec": {"hard": {quota_key(K80): "4"}}}, namespace).must()

    wait_for_room(api, namespace, 3)


def test_dry_runs_cost_nothing(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)

    for _ in range(5):
        api.create(asking("dry", 2), namespace, dryRun="All").must()

    assert used(api, namespace) == 0
    assert api.items("Pod", namespace) == []
    assert_room(api, namespace, 2)


def test_a_pod_that_another_webhook_refuses_after_we_admit_it_costs_nothing(
    api: Api, product: Product, namespace: str
) -> None:
    limit(api, namespace, 2)

    with _refuser(api, namespace):
        before = product.webhook.metric(REQUESTS, webhook="validate", allowed="true")
        refused = api.create(asking("p", 2), namespace)
        admitted = product.webhook.metric(REQUESTS, webhook="validate", allowed="true") - before

    assert OTHER in refused.message
    assert admitted == 1, "our verdict was asked for, and was to admit it"
    assert used(api, namespace) == 0
    until(lambda: api.create(asking("p", 2), namespace).ok, "the other webhook is gone")


def test_a_pod_that_we_refuse_is_not_counted(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)

    for _ in range(3):
        assert OURS in api.create(asking("p", 3), namespace).message

    assert used(api, namespace) == 0
    assert_room(api, namespace, 2)


@contextmanager
def _refuser(api: Api, namespace: str) -> Iterator[None]:
    """A validating webhook that nobody answers for, so that every pod of the namespace is refused."""
    with socket.socket() as silent:
        # Bound but not listening: connections are refused, and nobody else gets the port.
        silent.bind(("127.0.0.1", 0))
        api.create(_configuration(namespace, silent.getsockname()[1])).must()
        try:
            until(lambda: OTHER in api.create(asking("probe"), namespace, dryRun="All").message, "it refuses")
            yield
        finally:
            api.delete("ValidatingWebhookConfiguration", OTHER).must()


def _configuration(namespace: str, port: int) -> dict[str, object]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": OTHER},
        "webhooks": [
            {
                "name": f"{OTHER}.example.com",
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "clientConfig": {"url": f"https://127.0.0.1:{port}/"},
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "rules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "resources": ["pods"],
                        "operations": ["CREATE"],
                    }
                ],
            }
        ],
    }
