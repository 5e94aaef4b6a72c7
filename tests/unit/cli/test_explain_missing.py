"""What is said where there is no pod."""

from __future__ import annotations

import pytest

from tests.unit.cli.folder import bound, device, event, node, pod, resource_class, workload

CLASS = resource_class()
FREE = (CLASS, node("node-a"), device("node-a", "GPU-0"))


REFUSAL = (
    'Error creating: admission webhook "pods.resourceclass.io" denied the request: exceeded quota: limits, '
    "requested: requests.resourceclass.io/nvidia.tesla.k80=1"
)
DEPLOYMENT = workload("Deployment", "train", replicas=2)
REPLICA_SET = workload("ReplicaSet", "train-5d9", owner="Deployment/train", replicas=2)
OWNED = {"ownerReferences": [{"kind": "ReplicaSet", "name": "train-5d9"}]}


def test_a_deployment_whose_controller_was_refused(answer):
    said = event("ReplicaSet/train-5d9", "FailedCreate", REFUSAL, by="replicaset-controller")
    found = answer(*FREE, DEPLOYMENT, REPLICA_SET, said, name="deployment/train")
    assert found["state"] == "Refused"
    assert found["message"].startswith(
        "deployment team-a/train has 0 of 2 pods, and the next one is refused: admission webhook"
    )


@pytest.mark.parametrize("before", ["Error creating: ", "(combined from similar events): Error creating: "])
def test_a_refusal_is_told_once_and_without_what_kubernetes_puts_before_it(explain, before):
    words = 'pods "train-x" is forbidden: failed quota: limits: must specify cpu for: c'
    said = event("ReplicaSet/train-5d9", "FailedCreate", f"{before}{words}", by="replicaset-controller")
    _, out = explain(*FREE, DEPLOYMENT, REPLICA_SET, said, name="deploy/train")
    first, _, rest = out.partition("\n\n")
    assert f"the next one is refused: {words}" in first.replace("\n", " ")
    assert "replicaset-controller said of replicaset/train-5d9: FailedCreate: as above" in rest


def test_what_is_not_in_the_first_line_is_told_with_its_time_to_the_second(explain):
    said = event("Pod/train", "Evicted", "by hand", when="2026-01-02T03:04:05.678901Z")
    assert "2026-01-02T03:04:05Z " in explain(*FREE, pod(), said)[1]


def test_a_bare_name_may_be_that_of_a_workload(answer):
    assert answer(*FREE, workload("Job", "train", api="batch/v1"))["subject"] == "job team-a/train"


def test_a_workload_that_has_its_pods_is_explained_by_one_that_waits(answer):
    pods = (bound("train-5d9-a", "node-a", "GPU-0"), pod("train-5d9-b"))
    for item in pods:
        item["metadata"].update(OWNED)
    found = answer(*FREE, DEPLOYMENT, REPLICA_SET, *pods, name="deploy/train")
    assert found["subject"] == "pod team-a/train-5d9-b"
    assert found["notes"][0] == "this is one of the 2 pods of deployment team-a/train; without a node: 1"


def test_old_refusals_of_a_complete_workload_do_not_count(answer):
    pods = (bound("a", "node-a", "GPU-0"), bound("b", "node-b", "GPU-1"))
    for item in pods:
        item["metadata"].update(OWNED)
    said = event("ReplicaSet/train-5d9", "FailedCreate", REFUSAL)
    found = answer(*FREE, device("node-b", "GPU-1"), DEPLOYMENT, REPLICA_SET, *pods, said)
    assert found["state"] == "Bound"


def test_a_pod_that_was_never_stored_is_found_by_its_controller(answer):
    said = event("ReplicaSet/train-5d9", "FailedCreate", REFUSAL, by="replicaset-controller")
    found = answer(*FREE, said, name="train-5d9-xyz")
    assert found["state"] == "Refused"
    assert found["message"] == (
        "there is no pod or workload team-a/train-5d9-xyz; replicaset-controller said of "
        f"replicaset/train-5d9: {REFUSAL}"
    )


def test_a_pod_of_nobody_is_found_in_what_the_webhook_told_the_owner_of_the_quota(answer):
    text = "refused pod train: exceeded quota: limits, requested: a=1, used: a=1, limited: a=1"
    said = event("ResourceQuota/limits", "QuotaExceeded", text, by="resourceclass-webhook")
    found = answer(*FREE, said)
    assert found["state"] == "Refused"
    assert found["message"].endswith(f"resourceclass-webhook said of resourcequota/limits: {text}")
    assert answer(*FREE, said, name="other")["state"] == "NotFound"


def test_a_pod_of_the_name_elsewhere_is_pointed_at(answer):
    found = answer(*FREE, pod(namespace="team-b"))
    assert found["state"] == "NotFound"
    assert found["remedies"] == ["there is a pod of this name in team-b: add -n team-b"]


def test_a_name_of_nothing_is_not_found(answer):
    found = answer(*FREE)
    assert found["message"] == "there is no pod or workload train in namespace team-a"


@pytest.mark.parametrize("name", ["service/train", "deployment/", ""])
def test_a_kind_that_has_no_pods_is_refused(explain, capsys, name):
    assert explain(*FREE, name=name) == (2, "")
