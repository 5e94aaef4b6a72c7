"""What must go on with class workloads that are stored already, while both webhooks are down."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.chart.bookkeeping import container_field, stored_by_apply, stored_by_kubectl
from tests.chart.installing import called
from tests.chart.samples import K80, STORED_K80, Json, asking, class_pod
from tests.chart.templated import MAKE
from tests.harness.api import STRATEGIC_PATCH, Api
from tests.harness.cluster import fresh_namespace, quota
from tests.harness.kubectl import Kubectl
from tests.harness.waiting import until

HOW = ["kubectl apply", "server-side apply"]


def stored(kind: str, how: str) -> Json:
    """A workload as mutation left it; its bookkeeping still names the bare class."""
    if how == "kubectl apply":
        return stored_by_kubectl(MAKE[kind]([asking(STORED_K80)]), MAKE[kind]([asking(K80)]))
    return stored_by_apply(MAKE[kind]([asking(STORED_K80)]), container_field(kind))


@pytest.fixture(params=HOW)
def deployment(installed: Api, namespace: str, request: pytest.FixtureRequest) -> str:
    """The namespace of a stored Deployment `some`."""
    installed.create(stored("Deployment", request.param), namespace).must()
    return namespace


def test_it_scales(installed: Api, kubectl: Kubectl, deployment: str) -> None:
    kubectl("scale", "deployment/some", "--replicas=3", "-n", deployment).must()

    assert installed.get("Deployment", "some", deployment).must()["spec"]["replicas"] == 3


def test_its_replicas_can_be_patched(installed: Api, deployment: str) -> None:
    installed.patch("Deployment", "some", {"spec": {"replicas": 0}}, deployment).must()


def test_it_gets_labels_and_finalizers(installed: Api, deployment: str) -> None:
    metadata = {"labels": {"a": "b"}, "finalizers": ["example.com/hold"]}
    installed.patch("Deployment", "some", {"metadata": metadata}, deployment).must()
    installed.patch("Deployment", "some", {"metadata": {"finalizers": None}}, deployment).must()


def test_it_gets_another_image(kubectl: Kubectl, deployment: str) -> None:
    kubectl("set", "image", "deployment/some", "main=example.com/none:2", "-n", deployment).must()


def test_it_rolls_forward_and_back(installed: Api, kubectl: Kubectl, deployment: str) -> None:
    until(lambda: len(installed.items("ReplicaSet", deployment)) == 1, "the first ReplicaSet")
    kubectl("rollout", "restart", "deployment/some", "-n", deployment).must()
    until(lambda: len(installed.items("ReplicaSet", deployment)) == 2, "the second ReplicaSet")

    kubectl("rollout", "undo", "deployment/some", "-n", deployment).must()


def test_another_manager_can_apply_to_it(installed: Api, deployment: str) -> None:
    labels = {"name": "some", "namespace": deployment, "labels": {"a": "b"}}
    installed.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": labels}, "other").must()


def test_it_goes_with_its_replica_sets(installed: Api, deployment: str) -> None:
    until(lambda: installed.items("ReplicaSet", deployment), "its ReplicaSet")

    installed.delete("Deployment", "some", deployment, propagationPolicy="Foreground").must()

    until(lambda: installed.get("Deployment", "some", deployment).code == 404, "the Deployment is gone")
    assert installed.items("ReplicaSet", deployment) == []


@pytest.mark.parametrize("kind", [kind for kind in MAKE if kind != "Deployment"])
def test_other_workloads_get_labels_and_go(installed: Api, namespace: str, kind: str) -> None:
    made = installed.create(stored(kind, "kubectl apply"), namespace).must()
    name = f"{made['apiVersion']}/{kind}"

    installed.patch(name, "some", {"metadata": {"labels": {"a": "b"}}}, namespace).must()
    installed.delete(name, "some", namespace, propagationPolicy="Foreground").must()

    until(lambda: installed.get(name, "some", namespace).code == 404, f"the {kind} is gone")


def test_its_quota_can_be_raised(installed: Api, namespace: str) -> None:
    key = f"requests.{STORED_K80}"
    installed.create(stored_by_kubectl(quota("q", {key: "1"}), quota("q", {K80: "1"})), namespace).must()

    installed.patch("ResourceQuota", "q", {"spec": {"hard": {key: "2"}}}, namespace).must()

    counted = until(lambda: installed.get("ResourceQuota", "q", namespace).must().get("status"), "its status")
    assert json.dumps(counted).count(key) >= 1


@pytest.fixture
def running(installed: Api) -> Iterator[tuple[str, str]]:
    """Namespace and name of a stored class pod; the namespace is opted out only while it is made."""
    with fresh_namespace(installed, {"resourceclass.io/webhook": "ignore"}) as namespace:
        name = installed.create(class_pod(), namespace).must()["metadata"]["name"]
        back = {"metadata": {"labels": {"resourceclass.io/webhook": None}}}
        installed.patch("Namespace", namespace, back).must()
        until(lambda: called(installed.create(class_pod(), namespace, dryRun="All")), "the opt-out ends")
        yield namespace, name


def test_a_pod_gets_labels_and_finalizers(installed: Api, running: tuple[str, str]) -> None:
    namespace, name = running
    metadata = {"labels": {"a": "b"}, "finalizers": ["example.com/hold"]}

    installed.patch("Pod", name, {"metadata": metadata}, namespace).must()
    installed.patch("Pod", name, {"metadata": {"finalizers": None}}, namespace).must()


def test_the_kubelet_writes_a_pods_status(installed: Api, running: tuple[str, str]) -> None:
    namespace, name = running
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    status = {"status": {"phase": "Running", "conditions": [condition]}}
    kubelet = {"subresource": "status", "content_type": STRATEGIC_PATCH}

    installed.patch("Pod", name, status, namespace, **kubelet).must()


def test_a_pod_can_be_bound_and_deleted(installed: Api, running: tuple[str, str]) -> None:
    namespace, name = running
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"},
    }

    installed.request("POST", f"/api/v1/namespaces/{namespace}/pods/{name}/binding", binding).must()
    installed.delete("Pod", name, namespace, gracePeriodSeconds=0).must()


def test_a_new_class_pod_waits_for_the_webhook(installed: Api, deployment: str) -> None:
    def refused() -> bool:
        sets = installed.items("ReplicaSet", deployment)
        conditions = [c for each in sets for c in each["status"].get("conditions", [])]
        return any('failed calling webhook "pods.resourceclass.io"' in c["message"] for c in conditions)

    until(refused, "the ReplicaSet reports that its pods are refused")
