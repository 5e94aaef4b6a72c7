"""What `helm template` makes of the chart and its values."""

from __future__ import annotations

import re

import pytest

from tests.chart.rendering import MUTATING, REQUIRED, VALIDATING, Helm, only
from tests.chart.samples import Json
from tests.harness.api import Api
from tests.harness.chart import ChartError

MATRIX: dict[str, Json] = {
    "nothing more": {},
    "no definitions": {"crds.install": False},
    "one replica": {"webhook.replicas": 1},
    "five replicas": {"webhook.replicas": 5},
    "a digest": {"image.digest": f"sha256:{'0' * 64}"},
    "a tag and a registry": {"image.repository": "registry.example.com/rc", "image.tag": "1.2.3"},
    "pull secrets": {"image.pullSecrets": [{"name": "pull"}], "image.pullPolicy": "Always"},
    "a trial": {"webhook.failurePolicy": "Ignore"},
    "settings": {"webhook.config": {"log-level": "debug", "threads": 4}},
    "no priority": {"webhook.priorityClassName": ""},
    "no resources": {"webhook.resources": {}},
    "placement": {
        "webhook.nodeSelector": {"kubernetes.io/os": "linux"},
        "webhook.tolerations": [{"operator": "Exists"}],
        "webhook.affinity": {"nodeAffinity": {}},
    },
    "labels and annotations": {
        "webhook.podLabels": {"team": "a"},
        "webhook.podAnnotations": {"example.com/scrape": "true"},
        "webhook.config": {"log-level": "info"},
    },
    "more namespaces": {"webhook.excludedNamespaces": ["kube-system", "kube-node-lease"]},
    "long waits": {
        "webhook.timeoutSeconds.mutate": 10,
        "webhook.timeoutSeconds.validate": 10,
        "webhook.terminationGracePeriodSeconds": 90,
    },
}


@pytest.mark.parametrize("values", MATRIX.values(), ids=MATRIX.keys())
def test_every_combination_of_values_is_valid_to_the_api_server(
    installed: Api, helm: Helm, values: Json
) -> None:
    for each in helm.objects(values):
        if each["kind"] in (MUTATING, VALIDATING):
            each["metadata"]["name"] = "beside-the-installed-one"
        installed.apply(each, "test", force="true", dryRun="All", fieldValidation="Strict").must()


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        (
            "tls.secretName",
            "create a Secret of type kubernetes.io/tls for resourceclass-webhook.resourceclass-system.svc",
        ),
        ("webhook.caBundle", "--set-file webhook.caBundle=ca.crt"),
    ],
)
def test_without_a_certificate_the_chart_says_what_to_do(helm: Helm, left_out: str, words: str) -> None:
    with pytest.raises(ChartError, match=re.escape(words)):
        helm.render({name: value for name, value in REQUIRED.items() if name != left_out})


def test_the_default_namespace_is_refused(helm: Helm) -> None:
    with pytest.raises(ChartError, match="give it a namespace of its own"):
        helm.render(REQUIRED, "--namespace", "default")


@pytest.mark.parametrize(
    "values",
    [
        {"webhook.replica": 3},
        {"webhook.replicas": 0},
        {"webhook.failurePolicy": "Maybe"},
        {"webhook.timeoutSeconds.mutate": 31},
        {"image.digest": "latest"},
        {"webhook.terminationGracePeriodSeconds": 5},
        {"unknown": True},
    ],
)
def test_a_value_that_makes_no_sense_is_refused(helm: Helm, values: Json) -> None:
    with pytest.raises(ChartError, match="don't meet the specifications of the schema"):
        helm.objects(values)


def test_definitions_stay_when_the_chart_goes(objects: list[Json]) -> None:
    definitions = [o for o in objects if o["kind"] == "CustomResourceDefinition"]

    assert len(definitions) == 2
    assert {o["metadata"]["annotations"]["helm.sh/resource-policy"] for o in definitions} == {"keep"}


def test_definitions_can_be_left_to_somebody_else(helm: Helm) -> None:
    rendered = helm.objects({"crds.install": False})

    assert not any(o["kind"] == "CustomResourceDefinition" for o in rendered)


def test_the_policy_names_accounts_that_exist(objects: list[Json]) -> None:
    conditions = only(objects, "ValidatingAdmissionPolicy")["spec"]["matchConditions"]
    expressions = " ".join(c["expression"] for c in conditions)
    named = re.findall(r"system:serviceaccount:([^:]+):([^\"]+)", expressions)
    accounts = {
        (o["metadata"]["namespace"], o["metadata"]["name"]) for o in objects if o["kind"] == "ServiceAccount"
    }

    assert len(named) == 2
    assert set(named) < accounts


def test_the_policy_is_bound_without_any_selector(objects: list[Json]) -> None:
    binding = only(objects, "ValidatingAdmissionPolicyBinding")["spec"]

    assert binding == {"policyName": "records.resourceclass.io", "validationActions": ["Deny", "Audit"]}


def test_a_second_rendering_is_the_same(helm: Helm, objects: list[Json]) -> None:
    assert helm.objects() == objects
