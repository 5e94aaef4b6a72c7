"""While no replica answers: what is created all the same, what is refused, and what comes back by itself.

The chart's tests hold the same for a webhook that never was; here the running product is stopped and started.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.expect import K80, asking, assert_mutated, key, quota_key
from tests.cluster.expect_quota import limit
from tests.cluster.workloads import workload
from tests.harness import chart
from tests.harness.api import Answer, Api
from tests.harness.audit import AuditLog, called_webhooks
from tests.harness.cluster import fresh_namespace, fresh_node, pod, quota
from tests.harness.product import DEPLOYMENT, REQUESTS, Product
from tests.harness.waiting import until

Json = dict[str, Any]


@pytest.fixture(scope="module")
def admin(product: Product) -> Api:
    return product.plane.api()


@pytest.fixture(scope="module")
def isolated(admin: Api) -> Iterator[str]:
    with fresh_namespace(admin, {"resourceclass.io/isolate": "true"}) as namespace:
        yield namespace


@pytest.fixture(scope="module")
def down(product: Product, classes: None, isolated: str) -> Iterator[None]:
    """Both replicas are stopped at the same time, as by a node reboot that hits them together."""
    with product.webhook_stopped():
        yield


@pytest.fixture(autouse=True)
def _down(down: None) -> None:
    """Holds for every test of this module."""


def assert_waits(answer: Answer, entry: str = "pods.resourceclass.io") -> None:
    assert answer.code == 500, f"{answer.code} {answer.message}"
    assert f'failed calling webhook "{entry}"' in answer.message


# SlinkyProject/slurm-operator#189, topolvm/topolvm#57: the outage stopped what would have ended it.
@pytest.mark.parametrize("made", [pod("p"), asking("p")], ids=["without a class", "with a class"])
def test_pods_of_kube_system_are_created(api: Api, made: Json) -> None:
    until(lambda: api.get("ServiceAccount", "default", "kube-system").ok, "its service account")

    assert api.create(made, "kube-system", dryRun="All").ok


def test_the_webhooks_own_pods_are_created_again(api: Api) -> None:
    def own() -> set[str]:
        pods = api.items("Pod", chart.NAMESPACE, labelSelector="app.kubernetes.io/name=resourceclass")
        return {each["metadata"]["uid"] for each in pods if DEPLOYMENT in each["metadata"]["name"]}

    before = until(lambda: own() if len(own()) == 2 else None, "the pods of the webhook's Deployment")
    assert before is not None
    for each in api.items("Pod", chart.NAMESPACE):
        api.delete("Pod", each["metadata"]["name"], chart.NAMESPACE, gracePeriodSeconds=0)

    until(lambda: len(own() - before) == 2, "two new pods", 30)


def test_a_network_daemon_set_gets_its_pod(api: Api, namespace: str) -> None:
    made = workload("DaemonSet", "cni", {"cpu": "1"})
    made["spec"]["template"]["spec"]["hostNetwork"] = True
    with fresh_node(api, f"node-{namespace}"):
        api.create(made, namespace).must()

        until(lambda: api.items("Pod", namespace, labelSelector="app=cni"), "a pod on the node", 30)


def test_a_pod_without_a_class_is_created_and_never_asks_for_us(
    api: Api, audit: AuditLog, namespace: str
) -> None:
    api.create(pod("plain", {"cpu": "1", "example.com/thing": "1"}), namespace).must()

    (event,) = audit.wait_for(verb="create", resource="pods", namespace=namespace)

    assert called_webhooks(event) == set()


@pytest.mark.parametrize("spelling", [K80, key(K80)])
def test_a_pod_with_a_class_is_refused_and_never_stored_unmutated(
    api: Api, namespace: str, spelling: str
) -> None:
    assert_waits(api.create(pod("train", {spelling: 1}), namespace))
    assert api.items("Pod", namespace) == []


def test_a_refused_pod_costs_nothing(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)

    assert_waits(api.create(asking("train"), namespace))

    status = api.get("ResourceQuota", "q", namespace).must()["status"]
    assert status["used"] == {quota_key(K80): "0"}


def test_a_bare_name_is_not_stored_unread(api: Api, namespace: str) -> None:
    deployment = api.create(workload("Deployment", "w", {K80: 1}), namespace)
    assert_waits(deployment, "templates.resourceclass.io")

    assert_waits(api.create(quota("q", {K80: "1"}), namespace), "resourcequotas.resourceclass.io")


def test_advice_about_workloads_is_left_out(api: Api, namespace: str) -> None:
    limit(api, namespace, 0)

    answer = api.create(workload("Deployment", "w", {key(K80): "1"}), namespace)

    assert answer.ok
    assert not any("quota q allows" in warning for warning in answer.warnings)


def test_a_class_can_be_deleted(api: Api) -> None:
    assert api.delete("ResourceClass", K80, dryRun=["All"]).ok


def test_an_isolated_namespace_waits_for_us(api: Api, isolated: str) -> None:
    """Nobody there may see a device that was not given to them, so nothing is created unread."""
    assert_waits(api.create(pod("plain"), isolated), "isolate.resourceclass.io")


def test_service_is_back_without_a_hand(api: Api, product: Product, namespace: str) -> None:
    assert_waits(api.create(asking("train"), namespace))

    product.webhook.start()
    try:
        stored = until(lambda: api.create(asking("train"), namespace), "an answer")
        assert_mutated(stored.must())
        assert product.webhook.metric(REQUESTS, webhook="validate", kind="Pod") >= 1
    finally:
        product.webhook.stop()
