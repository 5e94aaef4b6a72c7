"""Where the pod spec stands in each kind."""

import pytest

from webhook.core.values.pod_template import has_controller, name_of, pod_spec_of

SPEC = {"containers": []}
TEMPLATE = {"template": {"spec": SPEC}}


@pytest.mark.parametrize(
    "kind",
    ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job"],
)
def test_most_workloads_hold_it_under_their_spec(kind):
    assert pod_spec_of({"kind": kind, "spec": TEMPLATE}) is SPEC


def test_a_cron_job_a_pod_template_and_a_pod_hold_it_elsewhere():
    assert pod_spec_of({"kind": "CronJob", "spec": {"jobTemplate": {"spec": TEMPLATE}}}) is SPEC
    assert pod_spec_of({"kind": "PodTemplate", **TEMPLATE}) is SPEC
    assert pod_spec_of({"kind": "Pod", "spec": SPEC}) is SPEC


@pytest.mark.parametrize(
    "obj", [{}, {"kind": 5}, {"kind": "Job"}, {"kind": "Job", "spec": []}, {"kind": "Pod", "spec": 5}]
)
def test_there_is_none_in_other_kinds_and_in_wrong_types(obj):
    assert pod_spec_of(obj) is None


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        (None, False),
        ([], False),
        (5, False),
        ([None, {"controller": False}], False),
        ([{}, {"controller": True}], True),
    ],
)
def test_only_an_owner_that_controls_is_a_controller(owners, expected):
    assert has_controller({"metadata": {"ownerReferences": owners}}) is expected


def test_a_generated_name_is_named_by_its_prefix():
    assert name_of({"metadata": {"generateName": "train-"}}) == "train-"
    assert name_of({"metadata": 5}) == ""
