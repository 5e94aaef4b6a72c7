"""Where the pod spec stands in each kind."""

import pytest

from webhook.core.raw import value_at
from webhook.core.values.pod_template import POD_SPEC_PATHS, has_controller, name_of

SPEC = {"containers": []}
TEMPLATE = {"template": {"spec": SPEC}}


@pytest.mark.parametrize(
    "kind",
    ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job"],
)
def test_most_workloads_hold_it_under_their_spec(kind):
    assert value_at({"spec": TEMPLATE}, POD_SPEC_PATHS[kind]) is SPEC


def test_a_cron_job_a_pod_template_and_a_pod_hold_it_elsewhere():
    assert value_at({"spec": {"jobTemplate": {"spec": TEMPLATE}}}, POD_SPEC_PATHS["CronJob"]) is SPEC
    assert value_at(TEMPLATE, POD_SPEC_PATHS["PodTemplate"]) is SPEC
    assert value_at({"spec": SPEC}, POD_SPEC_PATHS["Pod"]) is SPEC


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
