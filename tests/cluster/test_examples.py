"""The manifests in examples/ work as they stand, with kubectl and in a real cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.expect import (
    HIGH_MEM,
    K80,
    assert_denied,
    assert_mutated,
    assert_untouched,
    key,
    quota_key,
)
from tests.harness.api import Api
from tests.harness.audit import AuditLog, called_webhooks
from tests.harness.cluster import pod, quota_synced
from tests.harness.kubectl import Kubectl
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

EXAMPLES = Path(__file__).parents[2] / "examples"


def apply(kubectl: Kubectl, name: str, namespace: str | None = None) -> str:
    """Applies an example twice, as people do, and returns what kubectl printed the second time."""
    where = ["-n", namespace] if namespace else []
    kubectl("apply", *where, "-f", str(EXAMPLES / name)).must()
    return kubectl("apply", *where, "-f", str(EXAMPLES / name)).must()


@pytest.fixture
def system(api: Api) -> Iterator[str]:
    """The namespace that the example of a quota names."""
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system"}}).must()
    until(lambda: api.get("ServiceAccount", "default", "system").ok, "the default account in system")
    yield "system"
    api.delete("Namespace", "system")


def test_every_example_is_one_that_is_tested_here() -> None:
    assert sorted(path.name for path in EXAMPLES.glob("*.yaml")) == [
        "01-class-k80.yaml",
        "02-pod-k80.yaml",
        "03-class-high-mem.yaml",
        "04-quota.yaml",
        "05-lightweight-vgpu.yaml",
    ]


def test_the_class_by_model_can_be_asked_for(kubectl: Kubectl, api: Api, namespace: str) -> None:
    assert f"resourceclass.resourceclass.io/{K80}" in apply(kubectl, "01-class-k80.yaml", namespace)

    assert_mutated(api.create(pod("train", {K80: 1}), namespace).must())


def test_the_pod_with_the_bare_name_is_mutated(kubectl: Kubectl, api: Api, namespace: str) -> None:
    apply(kubectl, "02-pod-k80.yaml", namespace)

    stored = api.get("Pod", "example-pod", namespace).must()
    assert_mutated(stored)
    (container,) = stored["spec"]["containers"]
    assert container["resources"] == {"limits": {key(K80): "1"}, "requests": {key(K80): "1"}}


def test_the_class_whose_selector_is_a_list_can_be_asked_for(
    kubectl: Kubectl, api: Api, namespace: str
) -> None:
    apply(kubectl, "03-class-high-mem.yaml", namespace)

    assert_mutated(api.create(pod("train", {HIGH_MEM: 2}), namespace).must(), {HIGH_MEM: 2})


def test_the_quota_with_the_bare_name_is_stored_and_enforced(kubectl: Kubectl, api: Api, system: str) -> None:
    apply(kubectl, "04-quota.yaml")

    hard = quota_synced(api, system, "example-quota")["spec"]["hard"]
    assert hard == {"cpu": "10", "memory": "20Gi", quota_key(K80): "5"}
    small = {"cpu": "100m", "memory": "64Mi"}
    for number in range(5):
        api.create(pod(f"train-{number}", {**small, K80: 1}), system).must()
    sixth = api.create(pod("train-5", {**small, K80: 1}), system)
    assert_denied(sixth, 1, 5, 5, quota="example-quota")


def test_the_deployment_without_a_class_and_its_node_are_none_of_our_business(
    kubectl: Kubectl, api: Api, audit: AuditLog, namespace: str
) -> None:
    since = audit.mark()
    try:
        apply(kubectl, "05-lightweight-vgpu.yaml", namespace)
        (made,) = until(lambda: api.items("Pod", namespace), "the pod of the deployment exists")
        events = audit.wait_for(since, verb="create", resource="pods", namespace=namespace)
        events += audit.wait_for(since, verb="create", resource="deployments", namespace=namespace)
    finally:
        api.delete("Node", "vgn5i-1")

    assert_untouched(made)
    assert made["spec"]["nodeSelector"] == {"aliyun.accelerator/nvidia_mem": "2048MiB"}
    assert made["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "1"}
    assert [called_webhooks(event) for event in events] == [set(), set()]
