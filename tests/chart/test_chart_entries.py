"""The entries of the two webhook configurations, beside their conditions."""

from __future__ import annotations

import base64

import pytest

from tests.chart.rendering import CA, MUTATING, VALIDATING, Helm, entries, entry, only
from tests.chart.samples import WEBHOOK, Json
from tests.harness.chart import CHART, NAMESPACE
from webhook.admission.app import ENTRIES

CLUSTER_SCOPED = {"resourceclasses", "deletions"}


def test_every_entry_trusts_the_given_ca(objects: list[Json]) -> None:
    ca = base64.b64encode(CA.encode()).decode()

    assert {e["clientConfig"]["caBundle"] for e in entries(objects)} == {ca}


def test_every_entry_is_safe_for_dry_runs(objects: list[Json]) -> None:
    assert {e["sideEffects"] for e in only(objects, MUTATING)["webhooks"]} == {"None"}
    assert {e["sideEffects"] for e in only(objects, VALIDATING)["webhooks"]} == {"NoneOnDryRun"}


def test_only_advice_never_stands_in_the_way(objects: list[Json]) -> None:
    ignoring = {e["name"] for e in entries(objects) if e["failurePolicy"] == "Ignore"}

    advising = {"workloads", "adopt-workloads", "deletions"}
    assert ignoring == {f"{name}.resourceclass.io" for name in advising}


def test_a_trial_blocks_nothing(helm: Helm) -> None:
    rendered = helm.objects({"webhook.failurePolicy": "Ignore"})

    assert {e["failurePolicy"] for e in entries(rendered)} == {"Ignore"}


def test_waits_are_short(objects: list[Json]) -> None:
    assert max(e["timeoutSeconds"] for e in only(objects, MUTATING)["webhooks"]) == 3
    assert max(e["timeoutSeconds"] for e in only(objects, VALIDATING)["webhooks"]) == 5
    assert entry(only(objects, VALIDATING), "workloads")["timeoutSeconds"] == 2


def test_mutation_is_offered_again_when_others_change_the_object(objects: list[Json]) -> None:
    assert {e["reinvocationPolicy"] for e in only(objects, MUTATING)["webhooks"]} == {"IfNeeded"}


def test_no_entry_for_namespaced_objects_reaches_what_brings_the_cluster_back(helm: Helm) -> None:
    rendered = helm.objects({"webhook.excludedNamespaces": ["kube-system", "other"]})
    namespaced = [e for e in entries(rendered) if e["rules"][0]["scope"] == "Namespaced"]

    assert {e["name"].split(".")[0] for e in entries(rendered) if e not in namespaced} == CLUSTER_SCOPED
    for each in namespaced:
        by_name, by_label, *_ = each["namespaceSelector"]["matchExpressions"]
        assert (by_name["operator"], by_name["values"]) == (
            "NotIn",
            ["kube-system", "other", NAMESPACE],
        )
        assert by_label == {"key": "resourceclass.io/webhook", "operator": "NotIn", "values": ["ignore"]}


def test_a_pods_label_skips_its_mutation_and_nothing_else(objects: list[Json]) -> None:
    selecting = [
        (e["clientConfig"]["service"]["path"], e["name"]) for e in entries(objects) if "objectSelector" in e
    ]

    assert selecting == [("/mutate", "pods.resourceclass.io"), ("/mutate/adopt", "adopt.resourceclass.io")]


def test_the_paths_are_those_that_the_webhook_serves(objects: list[Json]) -> None:
    served = {e["clientConfig"]["service"]["path"] for e in entries(objects)}

    assert served == {f"/{entry}" for entry in ENTRIES}


def test_every_entry_calls_the_service_that_selects_the_webhooks_pods(objects: list[Json]) -> None:
    service, deployment = only(objects, "Service"), only(objects, "Deployment", WEBHOOK)
    called = {
        (e["clientConfig"]["service"]["name"], e["clientConfig"]["service"]["port"]) for e in entries(objects)
    }

    assert called == {(service["metadata"]["name"], service["spec"]["ports"][0]["port"])}
    assert service["spec"]["selector"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("kind", [MUTATING, VALIDATING])
def test_both_configurations_have_the_name_of_the_emergency_command(objects: list[Json], kind: str) -> None:
    only(objects, kind, "resourceclass")
    command = "kubectl delete mutatingwebhookconfiguration,validatingwebhookconfiguration resourceclass"

    assert command in (CHART / "README.md").read_text()
    assert command in (CHART / "templates" / "NOTES.txt").read_text()
