"""What an operator gets to see: every metric, one line of log per decision, the verdicts in the audit log."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.cluster.expect import K80, asking
from tests.cluster.expect_quota import limit
from tests.cluster.reviews import Direct, pod_review
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.product import Product
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

KINDS = {"ResourceClass", "ExtendedResource", "Namespace", "ResourceQuota", "Pod"}
# Name, type and labels of each metric; docs/observability.md lists the same.
METRICS = {
    "admission_requests": ("counter", {"webhook", "operation", "kind", "allowed", "reason", "dry_run"}),
    "admission_duration_seconds": ("histogram", {"le"}),
    "admission_in_flight": ("gauge", set()),
    "cache_age_seconds": ("gauge", {"kind"}),
    "cache_relists": ("counter", {"kind"}),
    "certificate_expiry_seconds": ("gauge", set()),
    "certificate_errors": ("counter", set()),
    "http_refused": ("counter", {"code", "reason"}),
    "events": ("counter", {"result"}),
}
SECRET = "s3cr3t-v4lue"
# Ten years is the longest that `certs issue` gives.
TEN_YEARS_SECONDS = 10 * 366 * 86400


@pytest.fixture
def scraped(api: Api, product: Product, direct: Direct, namespace: str) -> dict[str, Any]:
    """The metrics of one replica after it has done everything that it counts."""
    limit(api, namespace, 1)
    for number in range(24):
        assert api.create(asking(f"p{number}", 2), namespace).code == 403
    for _ in range(4):
        assert direct.post("/mutate", {"kind": "Nonsense"}).status == 400
    until(lambda: product.webhook.metric("resourceclass_events_total", result="written"), "an event")
    return {name: family for replica in product.webhook.replicas for name, family in families(replica)}


def families(replica: Any) -> list[tuple[str, Any]]:
    text = replica.health("/metrics").text
    return [(family.name, family) for family in text_string_to_metric_families(text)]


def total(product: Product, name: str, **labels: str) -> float:
    return product.webhook.metric(f"resourceclass_{name}", **labels)


def log_of(product: Product) -> str:
    return "".join(replica.process.log.read_text() for replica in product.webhook.replicas)


def test_every_metric_is_there_with_its_type_and_labels(scraped: dict[str, Any]) -> None:
    ours = {name.removeprefix("resourceclass_"): family for name, family in scraped.items()}

    found = {
        name: (family.type, {label for sample in family.samples for label in sample.labels})
        for name, family in ours.items()
    }

    assert found == METRICS


def test_every_watched_kind_has_an_age_and_a_count_of_lists(scraped: dict[str, Any]) -> None:
    for name in ("cache_age_seconds", "cache_relists"):
        samples = [
            each for each in scraped[f"resourceclass_{name}"].samples if each.name.endswith(("s", "total"))
        ]
        assert {each.labels["kind"] for each in samples} == KINDS
    assert all(each.value >= 1 for each in samples), "each process has listed each kind"


@pytest.mark.usefixtures("scraped")
def test_the_api_server_counts_what_our_alerts_ask_it_for(api: Api) -> None:
    text = api.request("GET", "/metrics").must()["message"]
    refused = [
        line for line in text.splitlines() if line.startswith("apiserver_admission_webhook_rejection_count")
    ]

    assert any('name="pods.resourceclass.io"' in line and 'error_type="no_error"' in line for line in refused)


def test_the_end_of_the_certificate_is_told(product: Product) -> None:
    for replica in product.webhook.replicas:
        (sample,) = dict(families(replica))["resourceclass_certificate_expiry_seconds"].samples
        assert 0 < sample.value < TEN_YEARS_SECONDS


def test_each_verdict_has_a_duration_and_nothing_stays_in_flight(
    api: Api, product: Product, namespace: str
) -> None:
    verdicts = total(product, "admission_requests_total")
    durations = total(product, "admission_duration_seconds_count")
    api.create(asking("p"), namespace).must()

    assert total(product, "admission_requests_total") - verdicts == 2
    assert total(product, "admission_duration_seconds_count") - durations == 2
    until(lambda: total(product, "admission_in_flight") == 0, "nothing is in flight")


def test_the_log_never_holds_an_environment_or_a_token(
    api: Api, product: Product, direct: Direct, namespace: str
) -> None:
    limit(api, namespace, 1)
    secret = asking("secret", 2)
    secret["spec"]["containers"][0]["env"] = [{"name": "PASSWORD", "value": SECRET}]
    secret["metadata"]["annotations"] = {"note": SECRET}
    assert api.create(secret, namespace).code == 403
    broken = pod_review(secret, namespace)
    for review in (broken, {**broken, "apiVersion": "admission.k8s.io/v9"}, {**broken, "request": [secret]}):
        direct.post("/mutate", review)
        direct.post("/validate", review)

    log = until(lambda: log_of(product) if namespace in log_of(product) else "", "the lines of the verdicts")
    assert SECRET not in log
    for kubeconfig in product.plane.folder.glob("kubeconfig-*"):
        token = json.loads(kubeconfig.read_text())["users"][0]["user"]["token"]
        assert token not in log


def test_every_line_of_the_log_is_one_json_object(product: Product) -> None:
    lines = [json.loads(line) for line in log_of(product).splitlines()]

    assert lines
    assert all({"time", "level", "logger", "message", "pid"} <= set(line) for line in lines)


def test_a_verdict_is_a_line_with_what_one_searches_for(api: Api, product: Product, namespace: str) -> None:
    limit(api, namespace, 1)
    assert api.create(asking("train", 2), namespace, dryRun="All").code == 403

    def line() -> Json | None:
        lines = [json.loads(each) for each in log_of(product).splitlines() if namespace in each]
        return next((each for each in lines if each.get("webhook") == "validate"), None)

    found = until(line, "the line of the refusal")
    assert found is not None
    assert {
        k: found[k] for k in ("namespace", "name", "kind", "operation", "dry_run", "allowed", "reason")
    } == {
        "namespace": namespace,
        "name": "train",
        "kind": "Pod",
        "operation": "CREATE",
        "dry_run": True,
        "allowed": False,
        "reason": "QuotaExceeded",
    }
    assert 0 < found["ms"] < 5000


def test_the_audit_log_holds_the_verdict(api: Api, audit: AuditLog, namespace: str) -> None:
    limit(api, namespace, 1)
    api.create(asking("fits"), namespace).must()
    assert api.create(asking("too-many", 2), namespace).code == 403

    (fits,) = audit.wait_for(verb="create", resource="pods", namespace=namespace, code="201")
    (refused,) = audit.wait_for(verb="create", resource="pods", namespace=namespace, code="403")

    assert said(fits) == {"mutation": "changed", "decision": "allowed", "classes": f"{K80}=1"}
    assert said(refused) == {
        "mutation": "changed",
        "decision": "refused",
        "reason": "QuotaExceeded",
        "classes": f"{K80}=2",
    }


def test_the_audit_log_holds_what_a_namespace_does_not_enforce(
    api: Api, audit: AuditLog, namespace: str
) -> None:
    limit(api, namespace, 1)
    api.patch("Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/enforce": "warn"}}}).must()
    time.sleep(0.5)  # the label comes by a watch
    api.create(asking("p", 2), namespace)

    (event,) = audit.wait_for(verb="create", resource="pods", namespace=namespace)

    assert (said(event)["enforce"], said(event)["not-enforced"]) == ("warn", "QuotaExceeded")


def said(event: Json) -> dict[str, str]:
    """The annotations of our entries, without the entry's name."""
    ours = "pods.resourceclass.io/"
    return {k.removeprefix(ours): v for k, v in event["annotations"].items() if k.startswith(ours)}
