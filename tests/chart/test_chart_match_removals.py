"""A bare class name taken out of a manifest is seen, although only bookkeeping shows it.

The stored objects are made as mutation leaves them: the stored key in the object, and the bare name in the
last-applied annotation or in the managed fields.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.chart.bookkeeping import LAST_APPLIED, container_field, stored_by_apply, stored_by_kubectl
from tests.chart.installing import called
from tests.chart.samples import K80, STORED_K80, Json, asking, class_pod, container, pod_of
from tests.chart.templated import ENTRY, MAKE
from tests.harness.api import Api
from tests.harness.cluster import quota
from tests.harness.kubectl import Kubectl
from tests.harness.waiting import until

MUTABLE = [kind for kind in MAKE if kind != "Job"]
QUOTA_KEY = f"requests.{STORED_K80}"
QUOTA_SPELLINGS = [K80, f"requests.{K80}", f"limits.{K80}", STORED_K80, f"limits.{STORED_K80}"]


def with_cpu(key: str | None = None) -> Json:
    """A container with cpu, and with one of a resource beside it."""
    return container(resources={"limits": {"cpu": "1"} | ({key: "1"} if key else {})})


def named(obj: Json) -> Json:
    obj["metadata"] = {"name": "some"}
    return obj


def owners_kept(api: Api, namespace: str, obj: Json) -> bool:
    """Whether the API server took the managed fields of a created object over."""
    kind, name = f"{obj['apiVersion']}/{obj['kind']}", obj["metadata"]["name"]
    stored = api.get(kind, name, namespace).must()["metadata"]["managedFields"]
    return any(each["operation"] == "Apply" and f"f:{K80}" in json.dumps(each) for each in stored)


@pytest.mark.parametrize("kind", MUTABLE)
def test_a_line_removed_with_kubectl_apply_is_seen(
    installed: Api, kubectl: Kubectl, namespace: str, kind: str
) -> None:
    obj = stored_by_kubectl(MAKE[kind]([with_cpu(STORED_K80)]), MAKE[kind]([with_cpu(K80)]))
    installed.create(obj, namespace).must()

    ran = kubectl.apply_client_side(yaml.safe_dump(MAKE[kind]([with_cpu()])), namespace)

    assert f'failed calling webhook "{ENTRY[kind]}.resourceclass.io"' in ran.err


@pytest.mark.parametrize("part", ["limits", "requests"])
@pytest.mark.parametrize("kind", MUTABLE)
def test_a_line_removed_with_server_side_apply_is_seen(
    installed: Api, namespace: str, kind: str, part: str
) -> None:
    resources = {"limits": {STORED_K80: "1"}, "requests": {STORED_K80: "1"}}
    obj = stored_by_apply(MAKE[kind]([container(resources=resources)]), container_field(kind, part))
    installed.create(obj, namespace).must()
    assert owners_kept(installed, namespace, obj)
    without = MAKE[kind]([container()])
    without["metadata"]["namespace"] = namespace

    answer = installed.apply(without, "kubectl", force="true")

    assert called(answer) == f"{ENTRY[kind]}/mutate"


def test_a_line_removed_from_an_init_container_is_seen(installed: Api, namespace: str) -> None:
    obj = MAKE["Deployment"]([container("other")], initContainers=[asking(STORED_K80)])
    installed.create(
        stored_by_apply(obj, container_field("Deployment", which="initContainers")), namespace
    ).must()
    without = MAKE["Deployment"]([container("other")], initContainers=[container()])
    without["metadata"]["namespace"] = namespace

    assert called(installed.apply(without, "kubectl", force="true")) == "templates/mutate"


def test_a_line_removed_from_a_pod_is_seen(installed: Api, kubectl: Kubectl, opted_in_pod: Json) -> None:
    manifest = named(pod_of(with_cpu()))

    ran = kubectl.apply_client_side(yaml.safe_dump(manifest), opted_in_pod["metadata"]["namespace"])

    assert 'failed calling webhook "pods.resourceclass.io"' in ran.err


def opt_out(api: Api, namespace: str, value: str | None) -> None:
    api.patch("Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/webhook": value}}}).must()


@pytest.fixture
def opted_in_pod(installed: Api, namespace: str) -> Json:
    """A class pod in the cluster. It could be stored because its namespace was opted out at that moment."""
    opt_out(installed, namespace, "ignore")
    manifest = named(pod_of(with_cpu(K80)))
    made = stored_by_kubectl(named(pod_of(with_cpu(STORED_K80))), manifest)
    until(lambda: installed.create(made, namespace).ok, "the opt-out takes effect")
    opt_out(installed, namespace, None)
    until(lambda: called(installed.create(class_pod(), namespace, dryRun="All")), "the opt-out ends")
    return installed.get("Pod", "some", namespace).must()


@pytest.mark.parametrize("spelling", QUOTA_SPELLINGS)
def test_a_quota_line_removed_with_kubectl_apply_is_seen(
    installed: Api, kubectl: Kubectl, namespace: str, spelling: str
) -> None:
    obj = stored_by_kubectl(quota("q", {"cpu": "1", QUOTA_KEY: "1"}), quota("q", {"cpu": "1", spelling: "1"}))
    installed.create(obj, namespace).must()

    ran = kubectl.apply_client_side(yaml.safe_dump(quota("q", {"cpu": "1"})), namespace)

    assert 'failed calling webhook "resourcequotas.resourceclass.io"' in ran.err


@pytest.mark.parametrize("spelling", QUOTA_SPELLINGS)
def test_a_quota_line_removed_with_server_side_apply_is_seen(
    installed: Api, namespace: str, spelling: str
) -> None:
    obj = stored_by_apply(quota("q", {"cpu": "1", QUOTA_KEY: "1"}), ("spec", "hard", spelling))
    installed.create(obj, namespace).must()
    without = quota("q", {"cpu": "1"})
    without["metadata"]["namespace"] = namespace

    assert called(installed.apply(without, "kubectl", force="true")) == "resourcequotas/mutate"


def test_removing_all_resources_of_a_container_takes_the_stored_key_along(
    installed: Api, kubectl: Kubectl, namespace: str
) -> None:
    obj = stored_by_kubectl(MAKE["Deployment"]([asking(STORED_K80)]), MAKE["Deployment"]([asking(K80)]))
    installed.create(obj, namespace).must()

    kubectl.apply_client_side(yaml.safe_dump(MAKE["Deployment"]([container()])), namespace).must()

    spec = installed.get("Deployment", "some", namespace).must()["spec"]["template"]["spec"]
    assert spec["containers"][0]["resources"] == {}


def test_a_class_that_two_managers_apply_stays_when_one_leaves_it(installed: Api, namespace: str) -> None:
    obj = stored_by_apply(MAKE["Deployment"]([asking(STORED_K80)]), container_field("Deployment"))
    second = stored_by_apply(MAKE["Deployment"]([]), container_field("Deployment"), manager="other")
    obj["metadata"]["managedFields"] += second["metadata"]["managedFields"]
    installed.create(obj, namespace).must()
    without = MAKE["Deployment"]([container()])
    without["metadata"]["namespace"] = namespace

    installed.apply(without, "kubectl", force="true").must()


def test_a_reset_of_managed_fields_is_no_removal(installed: Api, namespace: str) -> None:
    obj = stored_by_apply(MAKE["Deployment"]([asking(STORED_K80)]), container_field("Deployment"))
    installed.create(obj, namespace).must()
    reset = [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]

    installed.patch("Deployment", "some", reset, namespace).must()


def test_taking_the_last_applied_annotation_off_is_no_removal(installed: Api, namespace: str) -> None:
    obj = stored_by_kubectl(MAKE["Deployment"]([asking(STORED_K80)]), MAKE["Deployment"]([asking(K80)]))
    installed.create(obj, namespace).must()

    installed.patch(
        "Deployment", "some", {"metadata": {"annotations": {LAST_APPLIED: None}}}, namespace
    ).must()


def test_a_manifest_with_the_stored_name_is_applied_without_the_webhook(
    installed: Api, kubectl: Kubectl, namespace: str
) -> None:
    manifest: dict[str, Any] = MAKE["Deployment"]([asking(STORED_K80)])
    kubectl.apply_client_side(yaml.safe_dump(manifest), namespace).must()
    manifest["spec"]["template"]["spec"]["containers"][0]["resources"] = {}

    kubectl.apply_client_side(yaml.safe_dump(manifest), namespace).must()
