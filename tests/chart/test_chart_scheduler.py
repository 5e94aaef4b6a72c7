"""How the chart runs the scheduler of class pods: kube-scheduler and the binder in one pod."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.chart.rendering import Helm, only
from tests.chart.samples import Json
from tests.harness.api import Api
from tests.harness.chart import NAMESPACE, ChartError

NAME = "resourceclass-scheduler"
ENABLED = {"scheduler.enabled": True, "scheduler.image": "example.com/kube-scheduler:v1.36.3"}

MATRIX: dict[str, Json] = {
    "nothing more": {},
    "one replica": {"scheduler.replicas": 1},
    "settings of the binder": {"scheduler.config": {"log-level": "debug"}},
    "no priority and no resources": {
        "scheduler.priorityClassName": "",
        "scheduler.resources": {"scheduler": {}, "binder": {}},
    },
    "pull secrets": {"image.pullSecrets": [{"name": "pull"}]},
    "placement": {
        "scheduler.nodeSelector": {"kubernetes.io/os": "linux"},
        "scheduler.tolerations": [{"operator": "Exists"}],
        "scheduler.affinity": {"nodeAffinity": {}},
    },
    "labels and annotations": {
        "scheduler.podLabels": {"team": "a"},
        "scheduler.podAnnotations": {"example.com/scrape": "true"},
    },
}


@pytest.fixture(scope="module")
def enabled(helm: Helm) -> list[Json]:
    return helm.objects(ENABLED)


def template_of(objects: list[Json]) -> Json:
    template: Json = only(objects, "Deployment", NAME)["spec"]["template"]
    return template


def container(objects: list[Json], name: str) -> Json:
    found: Json = next(c for c in template_of(objects)["spec"]["containers"] if c["name"] == name)
    return found


def configuration(objects: list[Json]) -> Json:
    read: Json = yaml.safe_load(only(objects, "ConfigMap", NAME)["data"]["scheduler.yaml"])
    return read


@pytest.mark.parametrize("values", MATRIX.values(), ids=MATRIX.keys())
def test_every_combination_of_scheduler_values_is_valid_to_the_api_server(
    installed: Api, helm: Helm, values: Json
) -> None:
    rendered = helm.objects({**ENABLED, **values})
    added = [each for each in rendered if "scheduler" in each["metadata"]["name"]]

    assert {"Deployment", "ConfigMap", "Role", "RoleBinding"} <= {each["kind"] for each in added}
    for each in added:
        installed.apply(each, "test", force="true", dryRun="All", fieldValidation="Strict").must()


def test_without_it_the_chart_has_nothing_of_the_scheduler(objects: list[Json]) -> None:
    assert not any("scheduler" in each["metadata"]["name"] for each in objects)


def test_without_an_image_of_kube_scheduler_the_chart_says_what_to_do(helm: Helm) -> None:
    with pytest.raises(ChartError, match=re.escape("--set scheduler.image=YOUR_REGISTRY/kube-scheduler:v1.")):
        helm.objects({"scheduler.enabled": True})


@pytest.mark.parametrize("name", ["scheduler", "binder"])
def test_both_containers_satisfy_the_restricted_standard(enabled: list[Json], name: str) -> None:
    pod = template_of(enabled)["spec"]["securityContext"]

    assert (pod["runAsNonRoot"], pod["seccompProfile"]) == (True, {"type": "RuntimeDefault"})
    assert container(enabled, name)["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_only_the_scheduler_beside_it_can_reach_the_binder(enabled: list[Json]) -> None:
    (extender,) = configuration(enabled)["extenders"]
    arguments = container(enabled, "binder")["args"]

    assert extender["urlPrefix"] == "http://127.0.0.1:9098"
    assert {"--host=127.0.0.1", "--port=9098"} <= set(arguments)
    assert [port["containerPort"] for port in container(enabled, "binder")["ports"]] == [8080]


def test_no_pod_is_bound_without_the_binder(enabled: list[Json]) -> None:
    (extender,) = configuration(enabled)["extenders"]

    assert extender["ignorable"] is False
    assert extender["bindVerb"] == "bind"
    assert "managedResources" not in extender


def test_the_binder_looks_at_the_lease_that_the_scheduler_takes(enabled: list[Json]) -> None:
    election = configuration(enabled)["leaderElection"]
    arguments = container(enabled, "binder")["args"]

    assert election["leaderElect"] is True
    assert f"--lease-namespace={election['resourceNamespace']}" in arguments
    assert f"--lease-name={election['resourceName']}" in arguments
    assert election["resourceNamespace"] == NAMESPACE


def test_the_role_is_about_that_lease_alone(enabled: list[Json]) -> None:
    (rule,) = only(enabled, "Role", NAME)["rules"]

    assert rule["resourceNames"] == [configuration(enabled)["leaderElection"]["resourceName"]]
    assert only(enabled, "Role", NAME)["metadata"]["namespace"] == NAMESPACE


def test_the_pods_run_as_the_account_that_may_write_records(enabled: list[Json]) -> None:
    runs_as = template_of(enabled)["spec"]["serviceAccountName"]
    bindings = [o for o in enabled if o["kind"] in ("ClusterRoleBinding", "RoleBinding")]
    roles = {o["roleRef"]["name"] for o in bindings if o["subjects"][0]["name"] == runs_as}

    assert runs_as == "resourceclass-binder"
    assert roles == {
        "resourceclass-binder",
        "resourceclass-scheduler",
        "system:kube-scheduler",
        "system:volume-scheduler",
        "extension-apiserver-authentication-reader",
    }


def test_the_configuration_names_the_scheduler_that_class_pods_get(enabled: list[Json]) -> None:
    (profile,) = configuration(enabled)["profiles"]

    assert profile["schedulerName"] == "resourceclass-scheduler"


def test_a_changed_weight_or_setting_restarts_the_pods(helm: Helm) -> None:
    sums = {
        template_of(helm.objects({**ENABLED, **values}))["metadata"]["annotations"]["checksum/config"]
        for values in ({}, {"scheduler.weight": 5}, {"scheduler.config": {"log-level": "debug"}})
    }

    assert len(sums) == 3


def test_settings_reach_the_binder(helm: Helm) -> None:
    settings = {"log-level": "debug"}
    rendered = helm.objects({**ENABLED, "scheduler.config": settings})

    assert yaml.safe_load(only(rendered, "ConfigMap", NAME)["data"]["binder.yaml"]) == settings
    assert "--config=/etc/resourceclass/config/binder.yaml" in container(rendered, "binder")["args"]


def test_a_disruption_budget_comes_with_the_second_scheduler(helm: Helm) -> None:
    budgets = {
        replicas: [
            o["metadata"]["name"]
            for o in helm.objects({**ENABLED, "scheduler.replicas": replicas})
            if o["kind"] == "PodDisruptionBudget"
        ]
        for replicas in (1, 2)
    }

    assert NAME not in budgets[1]
    assert NAME in budgets[2]
