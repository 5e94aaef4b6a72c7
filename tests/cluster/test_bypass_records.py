"""Forged records of devices, by every way that a user has into a pod: refused, whatever the labels say.

The chart's tests hold the policy itself while the webhook is down; here it stands beside the webhook, before
an ordinary user who may edit everything in a namespace.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import asking
from tests.cluster.workloads import workload
from tests.harness import chart
from tests.harness.api import STRATEGIC_PATCH, Answer, Api
from tests.harness.cluster import fresh_namespace, pod
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

RECORD = "resourceclass.io/allocation"
DEVICES = "devices.resourceclass.io/main"
RECORDS = (RECORD, DEVICES)
BINDER = f"system:serviceaccount:{chart.NAMESPACE}:resourceclass-binder"
OPT_OUT = "resourceclass.io/webhook"


def forged(made: Json, annotation: str = DEVICES) -> Json:
    made["metadata"]["annotations"] = {annotation: "GPU-a0"}
    return made


def editor(api: Api, namespace: str) -> Api:
    """A user with Kubernetes' own role `edit` in one namespace, who also writes pods/status and bindings."""
    name = f"jane-{namespace}"
    subject = {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": name}
    api.apply(_cluster_role(), "tests").must()
    for role in ("edit", "test-pods"):
        api.create(
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "RoleBinding",
                "metadata": {"name": role},
                "subjects": [subject],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            },
            namespace,
        ).must()
    user = api.impersonate(name)
    until(lambda: user.list("Pod", namespace).ok, f"{name} may read pods")
    return user


def _cluster_role() -> Json:
    rule = {
        "apiGroups": [""],
        "resources": ["pods/status", "pods/binding", "bindings"],
        "verbs": ["create", "patch", "update"],
    }
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "test-pods"},
        "rules": [rule],
    }


@pytest.fixture
def jane(api: Api, namespace: str) -> Api:
    return editor(api, namespace)


@pytest.fixture
def bound(api: Api, namespace: str) -> str:
    """The name of a class pod that the binder has bound with a record."""
    api.create(asking("bound"), namespace).must()
    binder = api.impersonate(BINDER, "system:masters")
    bind(binder, namespace, "bound", {RECORD: "{}", DEVICES: "GPU-a0"}).must()
    return "bound"


def bind(api: Api, namespace: str, name: str, annotations: Json) -> Answer:
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"},
    }
    return api.request("POST", f"/api/v1/namespaces/{namespace}/pods/{name}/binding", binding)


def annotate(api: Api, namespace: str, name: str, annotations: Json, subresource: str = "") -> Answer:
    how: Any = {"subresource": subresource, "content_type": STRATEGIC_PATCH}
    return api.patch("Pod", name, {"metadata": {"annotations": annotations}}, namespace, **how)


def assert_forged(answer: Answer, annotation: str) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    assert f"annotation {annotation} records which devices a pod holds" in answer.message


# Project-HAMi/HAMi#3041: a forged annotation chose another tenant's card.
@pytest.mark.parametrize("annotation", RECORDS)
@pytest.mark.parametrize("made", [asking("forged"), pod("forged")], ids=["with a class", "without a class"])
def test_a_pod_with_a_forged_record_is_not_stored(
    api: Api, jane: Api, namespace: str, made: Json, annotation: str
) -> None:
    assert_forged(jane.create(forged(made, annotation), namespace), annotation)
    assert api.items("Pod", namespace) == []


def test_the_label_of_a_pod_opts_out_of_mutation_and_not_of_this(jane: Api, namespace: str) -> None:
    made = forged(asking("forged"))
    made["metadata"]["labels"] = {OPT_OUT: "ignore"}

    assert_forged(jane.create(made, namespace), DEVICES)


@pytest.mark.parametrize(
    "labels",
    [{OPT_OUT: "ignore"}, {"resourceclass.io/enforce": "off"}, {"resourceclass.io/isolate": "true"}],
    ids=["webhook", "enforce", "isolate"],
)
def test_no_label_of_the_namespace_lets_a_forged_record_in(api: Api, labels: Json) -> None:
    with fresh_namespace(api, labels) as namespace:
        answer = editor(api, namespace).create(forged(asking("forged")), namespace)

    assert_forged(answer, DEVICES)


@pytest.mark.parametrize("annotation", RECORDS)
@pytest.mark.parametrize("subresource", ["", "status"])
@pytest.mark.parametrize("value", ["GPU-a1", None], ids=["changed", "removed"])
def test_a_user_cannot_change_the_record_of_a_bound_pod(
    jane: Api, namespace: str, bound: str, annotation: str, subresource: str, *, value: str | None
) -> None:
    assert_forged(annotate(jane, namespace, bound, {annotation: value}, subresource), annotation)


@pytest.mark.parametrize("subresource", ["", "status"])
def test_a_user_cannot_add_a_record_to_a_pod_that_waits(jane: Api, namespace: str, subresource: str) -> None:
    jane.create(asking("waits"), namespace).must()

    assert_forged(annotate(jane, namespace, "waits", {RECORD: "{}"}, subresource), RECORD)


def test_the_binder_may_correct_a_record(api: Api, namespace: str, bound: str) -> None:
    binder = api.impersonate(BINDER, "system:masters")

    annotate(binder, namespace, bound, {DEVICES: "GPU-a1"}).must()


@pytest.mark.parametrize("subresource", ["", "status"])
def test_other_annotations_of_a_bound_pod_are_anyones(
    jane: Api, namespace: str, bound: str, subresource: str
) -> None:
    annotate(jane, namespace, bound, {"example.com/note": "mine"}, subresource).must()


def test_a_binding_with_a_record_is_the_binders_alone(jane: Api, namespace: str) -> None:
    jane.create(asking("waits"), namespace).must()

    assert_forged(bind(jane, namespace, "waits", {RECORD: "{}"}), RECORD)
    assert "nodeName" not in jane.get("Pod", "waits", namespace).must()["spec"]


def test_a_template_with_a_forged_record_is_stored_and_makes_no_pods(jane: Api, namespace: str) -> None:
    made = workload("Deployment", "forged", {"resourceclass.io/nvidia.tesla.k80": "1"})
    made["spec"]["template"]["metadata"]["annotations"] = {DEVICES: "GPU-a0"}
    jane.create(made, namespace).must()

    def reported() -> bool:
        (replica_set,) = jane.items("ReplicaSet", namespace) or [{}]
        conditions = replica_set.get("status", {}).get("conditions", [])
        return any(f"annotation {DEVICES} records" in each["message"] for each in conditions)

    until(reported, "the ReplicaSet reports the refusal", 30)
    assert jane.items("Pod", namespace) == []
