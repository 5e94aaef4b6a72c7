"""How the chart runs the controller, and what it may do."""

from __future__ import annotations

import pytest
import yaml

from tests.chart.rendering import Helm, only
from tests.chart.samples import Json
from tests.harness.api import Api
from tests.harness.chart import NAMESPACE
from webhook.cli.options import options_of
from webhook.cli.settings.controller import ControllerSettings
from webhook.controller.controller import STOP_SECONDS
from webhook.controller.election import RENEW_SECONDS

NAME = "resourceclass-controller"

MATRIX: dict[str, Json] = {
    "one replica": {"controller.replicas": 1},
    "settings": {"controller.config": {"log-level": "debug"}},
    "no priority and no resources": {"controller.priorityClassName": "", "controller.resources": {}},
    "pull secrets": {"image.pullSecrets": [{"name": "pull"}]},
    "evictions and removals": {
        "controller.doubleAllocations": "evict-newest",
        "controller.removeUnusedClasses": True,
    },
    "placement": {
        "controller.nodeSelector": {"kubernetes.io/os": "linux"},
        "controller.tolerations": [{"operator": "Exists"}],
        "controller.affinity": {"nodeAffinity": {}},
    },
    "labels and annotations": {
        "controller.podLabels": {"team": "a"},
        "controller.podAnnotations": {"example.com/scrape": "true"},
    },
}


def container(objects: list[Json]) -> Json:
    (found,) = only(objects, "Deployment", NAME)["spec"]["template"]["spec"]["containers"]
    return dict(found)


def allowed(objects: list[Json]) -> set[tuple[str, str]]:
    """Resource and verb of everything that its ClusterRole allows."""
    rules = only(objects, "ClusterRole", NAME)["rules"]
    return {(resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}


@pytest.mark.parametrize("values", MATRIX.values(), ids=MATRIX.keys())
def test_every_combination_of_controller_values_is_valid_to_the_api_server(
    installed: Api, helm: Helm, values: Json
) -> None:
    added = [each for each in helm.objects(values) if "controller" in each["metadata"]["name"]]

    assert {"Deployment", "ClusterRole", "Role", "ServiceAccount"} <= {each["kind"] for each in added}
    for each in added:
        installed.apply(each, "test", force="true", dryRun="All", fieldValidation="Strict").must()


def test_without_it_the_chart_has_nothing_of_the_controller(helm: Helm) -> None:
    rendered = helm.objects({"controller.enabled": False})

    assert not any("controller" in each["metadata"]["name"] for each in rendered)


def test_the_controller_satisfies_the_restricted_standard(objects: list[Json]) -> None:
    pod = only(objects, "Deployment", NAME)["spec"]["template"]["spec"]["securityContext"]

    assert (pod["runAsNonRoot"], pod["seccompProfile"]) == (True, {"type": "RuntimeDefault"})
    assert container(objects)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_every_flag_is_one_that_the_controller_has(objects: list[Json]) -> None:
    arguments = container(objects)["args"]
    given = {argument.removeprefix("--").split("=")[0] for argument in arguments[1:]}

    assert arguments[0] == "controller"
    assert given <= {option.name for option in options_of(ControllerSettings)}


def test_the_rights_to_the_lease_are_about_the_one_that_it_takes(objects: list[Json]) -> None:
    create, rest = only(objects, "Role", NAME)["rules"]

    assert (create["verbs"], rest["verbs"]) == (["create"], ["get", "update"])
    assert f"--lease-name={rest['resourceNames'][0]}" in container(objects)["args"]
    assert f"--lease-namespace={NAMESPACE}" in container(objects)["args"]
    assert only(objects, "Role", NAME)["metadata"]["namespace"] == NAMESPACE


def test_it_may_evict_and_delete_classes_only_where_that_is_asked_for(helm: Helm) -> None:
    more = {
        "controller.doubleAllocations": "evict-newest",
        "controller.removeUnusedClasses": True,
    }

    added = allowed(helm.objects(more)) - allowed(helm.objects())

    assert added == {("pods", "get"), ("pods/eviction", "create"), ("resourceclasses", "delete")}


def test_the_roles_are_given_to_the_account_that_its_pods_run_as(objects: list[Json]) -> None:
    runs_as = only(objects, "Deployment", NAME)["spec"]["template"]["spec"]["serviceAccountName"]

    for kind in ("ClusterRoleBinding", "RoleBinding"):
        (subject,) = only(objects, kind, NAME)["subjects"]
        assert subject == {"kind": "ServiceAccount", "name": runs_as, "namespace": NAMESPACE}
    assert only(objects, "ServiceAccount", runs_as)["automountServiceAccountToken"] is False


def test_a_controller_has_the_time_to_stop(objects: list[Json]) -> None:
    spec = only(objects, "Deployment", NAME)["spec"]["template"]["spec"]

    assert spec["terminationGracePeriodSeconds"] > STOP_SECONDS + RENEW_SECONDS


def test_settings_reach_the_controller_and_a_change_restarts_it(helm: Helm) -> None:
    settings = {"log-level": "debug"}
    rendered = helm.objects({"controller.config": settings})
    template = only(rendered, "Deployment", NAME)["spec"]["template"]

    assert yaml.safe_load(only(rendered, "ConfigMap", NAME)["data"]["config.yaml"]) == settings
    assert "--config=/etc/resourceclass/config/config.yaml" in container(rendered)["args"]
    assert "checksum/config" in template["metadata"]["annotations"]


def test_a_disruption_budget_comes_with_the_second_controller(helm: Helm) -> None:
    budgets = {
        replicas: [
            o["metadata"]["name"]
            for o in helm.objects({"controller.replicas": replicas})
            if o["kind"] == "PodDisruptionBudget"
        ]
        for replicas in (1, 2)
    }

    assert NAME not in budgets[1]
    assert NAME in budgets[2]
