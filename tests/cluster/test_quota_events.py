"""What the owner of a quota sees of the pods that it refuses: events about the quota."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, asking, key
from tests.cluster.expect_quota import limit
from tests.cluster.workloads import workload
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.kubectl import Kubectl
from tests.harness.product import ACCOUNT, Product
from tests.harness.waiting import holds, until
from webhook.cluster.connection import Connection
from webhook.cluster.events import QuotaEvents
from webhook.core.refusals import Occurrence, Series

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

PROCESSES = 4
ATTEMPTS = 3 * PROCESSES
# A first refusal is written at once.
SOON_SECONDS = 2.0


def about_quotas(api: Api, namespace: str) -> list[Json]:
    return api.items("Event", namespace, fieldSelector="involvedObject.kind=ResourceQuota")


def refuse(api: Api, namespace: str, **query: str) -> None:
    for number in range(ATTEMPTS):
        assert api.create(asking(f"p{number}", 2), namespace, **query).code == 403


def test_a_refusal_is_an_event_about_the_quota(api: Api, kubectl: Kubectl, namespace: str) -> None:
    limit(api, namespace, 1)
    refuse(api, namespace)

    first, *_ = until(lambda: about_quotas(api, namespace), "an event")

    quota = api.get("ResourceQuota", "q", namespace).must()
    assert first["involvedObject"] == {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "namespace": namespace,
        "name": "q",
        "uid": quota["metadata"]["uid"],
    }
    assert (first["type"], first["reason"]) == ("Warning", "QuotaExceeded")
    assert first["message"].startswith("refused pod p")
    assert f"exceeded quota: q, requested: requests.resourceclass.io/{K80}=2" in first["message"]
    shown = kubectl("events", "-n", namespace, "--for", "resourcequota/q").must()
    assert "QuotaExceeded" in shown


def test_a_flood_of_refusals_is_one_event_of_each_process(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    refuse(api, namespace)
    until(lambda: about_quotas(api, namespace), "an event")

    holds(lambda: len(about_quotas(api, namespace)) <= PROCESSES, "one event each", SOON_SECONDS)


def test_the_controller_that_wants_the_pod_is_named(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    api.create(workload("Deployment", "serve", {key(K80): 2}), namespace).must()

    def told() -> bool:
        return any(" of ReplicaSet " in event["message"] for event in about_quotas(api, namespace))

    until(told, "an event that names the ReplicaSet")


def test_a_dry_run_makes_no_event(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    refuse(api, namespace, dryRun="All")

    holds(lambda: about_quotas(api, namespace) == [], "no event", SOON_SECONDS)


def test_what_is_only_warned_of_makes_no_event(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    api.patch("Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/enforce": "warn"}}}).must()
    # The API server's own plugin still refuses, and says so to the requester alone.
    refuse(api, namespace)

    holds(lambda: about_quotas(api, namespace) == [], "no event", SOON_SECONDS)


def test_events_are_counted(api: Api, product: Product, namespace: str) -> None:
    def written() -> float:
        return product.webhook.metric("resourceclass_events_total", result="written")

    limit(api, namespace, 1)
    before = written()
    refuse(api, namespace)

    until(lambda: written() > before, "the metric grows")
    assert product.webhook.metric("resourceclass_events_total", result="failed") == 0


def test_an_event_is_renewed_under_the_rights_of_the_webhook(
    api: Api, product: Product, namespace: str
) -> None:
    token = product.plane.service_account_token(chart.NAMESPACE, ACCOUNT)
    connection = Connection(str(product.plane.kubeconfig(token)))
    told = Occurrence(namespace, "q", "QuotaExceeded", "refused pod a")
    events = QuotaEvents(connection, lambda *_: "")

    events.write(Series("q.1", told, first=0.0, last=0.0))
    later = Occurrence(namespace, "q", "QuotaExceeded", "refused pod b")
    events.write(Series("q.1", later, first=0.0, last=60.0, count=7, written=1))
    connection.close()

    (event,) = about_quotas(api, namespace)
    assert (event["count"], event["message"]) == (7, "refused pod b")
    assert (event["firstTimestamp"], event["lastTimestamp"]) == (
        "1970-01-01T00:00:00Z",
        "1970-01-01T00:01:00Z",
    )
