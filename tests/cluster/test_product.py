"""The product installed as the chart installs it: who is called, by whom, and what an outage costs."""

from __future__ import annotations

from tests.harness import chart
from tests.harness.api import Api
from tests.harness.audit import AuditLog, called_webhooks, lacked_rights
from tests.harness.cluster import pod
from tests.harness.product import ACCOUNT, REQUESTS, Product, fresh_class

CLASS = "example.installed"
STORED = f"resourceclass.io/{CLASS}"
MODEL = {"model": "Installed"}


def test_a_bare_class_is_stored_in_its_full_form(api: Api, namespace: str) -> None:
    with fresh_class(api, CLASS, MODEL):
        api.create(pod("train", {CLASS: 1}), namespace).must()

        stored = api.get("Pod", "train", namespace).must()["spec"]

        assert stored["containers"][0]["resources"] == {"limits": {STORED: "1"}, "requests": {STORED: "1"}}
        assert stored["schedulerName"] == "resourceclass-scheduler"


def test_a_pod_without_a_class_reaches_no_webhook(
    api: Api, product: Product, audit: AuditLog, namespace: str
) -> None:
    before = product.webhook.metric(REQUESTS)
    api.create(pod("plain", {"cpu": "1", "example.com/thing": "1"}), namespace).must()

    (event,) = audit.wait_for(verb="create", resource="pods", namespace=namespace)

    assert called_webhooks(event) == set()
    assert product.webhook.metric(REQUESTS) == before


def test_the_audit_log_names_the_webhook_that_was_called(api: Api, audit: AuditLog, namespace: str) -> None:
    with fresh_class(api, CLASS, MODEL):
        api.create(pod("train", {CLASS: 1}), namespace, dryRun="All").must()

    (event,) = audit.wait_for(verb="create", resource="pods", namespace=namespace)

    assert called_webhooks(event) == {"pods.resourceclass.io"}


def test_the_webhook_acts_as_its_service_account_and_writes_nothing_but_events(
    product: Product, audit: AuditLog
) -> None:
    account = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"

    done = audit.entries(user=account)

    assert {each["objectRef"]["resource"] for each in done} >= {"resourceclasses", "resourcequotas"}
    written = {each["objectRef"]["resource"] for each in done if each["verb"] not in ("get", "list", "watch")}
    assert written <= {"events"}
    assert [each for each in done if lacked_rights(each)] == []


def test_an_outage_refuses_pods_with_a_class_and_no_others(
    api: Api, product: Product, namespace: str
) -> None:
    with fresh_class(api, CLASS, MODEL):
        with product.webhook_stopped():
            assert api.create(pod("plain", {"cpu": "1"}), namespace).ok
            refused = api.create(pod("train", {CLASS: 1}), namespace)

        assert refused.code == 500
        assert 'failed calling webhook "pods.resourceclass.io"' in refused.message
        assert api.create(pod("train", {CLASS: 1}), namespace).ok
