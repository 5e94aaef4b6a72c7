"""CEL has a cost limit; a condition beyond it fails and refuses the object. No real object comes near it."""

from __future__ import annotations

import pytest
import yaml

from tests.chart.bookkeeping import container_field, stored_by_apply, stored_by_kubectl
from tests.chart.installing import called
from tests.chart.samples import K80, STORED_K80, Json, asking, container, pod_of
from tests.chart.templated import MAKE
from tests.harness.api import Api
from tests.harness.cluster import quota
from tests.harness.kubectl import Kubectl

# More than any pod has: etcd takes 1.5 MiB, which is some ten thousand of these.
CONTAINERS = 2000
ANNOTATIONS = 5000
MANAGERS = 40


def many(count: int, **fields: object) -> list[Json]:
    return [container(f"c{n}", **fields) for n in range(count)]


def test_a_plain_pod_of_thousands_of_containers_is_stored(installed: Api, namespace: str) -> None:
    limits = {"resources": {"limits": {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}}}

    installed.create(pod_of(*many(CONTAINERS, **limits)), namespace, dryRun="All").must()


def test_a_class_in_the_last_of_thousands_of_containers_is_found(installed: Api, namespace: str) -> None:
    pod = pod_of(*many(CONTAINERS), asking(K80, name="last"))

    assert called(installed.create(pod, namespace, dryRun="All")) == "pods/mutate"


def test_a_pod_of_thousands_of_annotations_can_be_made_and_changed(installed: Api, namespace: str) -> None:
    annotations = {f"a{n}": "" for n in range(ANNOTATIONS)}

    made = installed.create(pod_of(container(), annotations=annotations), namespace).must()

    installed.patch("Pod", made["metadata"]["name"], {"metadata": {"labels": {"a": "b"}}}, namespace).must()


def test_a_record_behind_thousands_of_annotations_is_found(installed: Api, namespace: str) -> None:
    annotations = {f"a{n}": "" for n in range(ANNOTATIONS)} | {"resourceclass.io/allocation": "{}"}

    answer = installed.create(pod_of(container(), annotations=annotations), namespace)

    assert answer.code == 403
    assert "annotation resourceclass.io/allocation records which devices a pod holds" in answer.message


@pytest.mark.parametrize("how", ["kubectl apply", "server-side apply"])
def test_a_large_class_workload_can_be_labelled(installed: Api, namespace: str, how: str) -> None:
    workload = MAKE["Deployment"]([asking(STORED_K80), *many(400, resources={"limits": {STORED_K80: "1"}})])
    if how == "kubectl apply":
        stored_by_kubectl(workload, MAKE["Deployment"]([asking(K80), *many(400)]))
    else:
        managers = [
            stored_by_apply(MAKE["Deployment"]([]), container_field("Deployment"), manager=f"m{n}")
            for n in range(MANAGERS)
        ]
        workload["metadata"]["managedFields"] = [m["metadata"]["managedFields"][0] for m in managers]
    workload["spec"]["replicas"] = 0
    installed.create(workload, namespace).must()

    installed.patch("Deployment", "some", {"metadata": {"labels": {"a": "b"}}}, namespace).must()


@pytest.mark.parametrize("how", ["kubectl apply", "server-side apply"])
def test_a_large_class_workload_can_be_applied(
    installed: Api, kubectl: Kubectl, namespace: str, how: str
) -> None:
    workload = MAKE["Deployment"](many(100, resources={"limits": {STORED_K80: "1"}}))
    workload["spec"]["replicas"] = 0
    options = ["--server-side"] if how == "server-side apply" else []
    kubectl.apply_client_side(yaml.safe_dump(workload), namespace, *options).must()
    workload["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": "b"}]

    kubectl.apply_client_side(yaml.safe_dump(workload), namespace, *options).must()


def test_a_quota_of_hundreds_of_classes_can_be_labelled(installed: Api, namespace: str) -> None:
    hard = {f"requests.resourceclass.io/class-{n}": "1" for n in range(500)}
    installed.create(stored_by_kubectl(quota("q", hard), quota("q", {K80: "1"})), namespace).must()

    installed.patch("ResourceQuota", "q", {"metadata": {"labels": {"a": "b"}}}, namespace).must()
