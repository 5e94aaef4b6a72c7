"""The names in an object that could be classes."""

import pytest

from tests.unit.core.mutate.objects import K80, P100, STORED_K80, STORED_P100, container, pod
from webhook.core.mutate.keys import candidate_names


def test_a_pod_names_bare_and_stored_classes_each_once():
    obj = pod(
        container("a", {K80: 1, "cpu": 1, "nvidia.com/gpu": 1}, {STORED_K80: 1}),
        initContainers=[container("i", {STORED_P100: 1, "Not_A_Name": 1})],
    )
    assert candidate_names(obj, "Pod") == (P100, K80)


def test_a_workload_names_them_in_its_template():
    obj = {"spec": {"jobTemplate": {"spec": {"template": pod(container("a", {K80: 1}))}}}}
    assert candidate_names(obj, "CronJob") == (K80,)


def test_a_quota_names_them_in_any_spelling():
    hard = {f"limits.{STORED_K80}": 1, f"requests.{P100}": 1, "cpu": 1, "pods": 1}
    assert candidate_names({"spec": {"hard": hard}}, "ResourceQuota") == (K80, P100)


def test_a_limit_range_names_them_in_its_maps():
    items = [None, {"type": "Pod", "max": {K80: 1}, "default": {STORED_P100: 1}}]
    assert candidate_names({"spec": {"limits": items}}, "LimitRange") == (K80, P100)


@pytest.mark.parametrize("kind", ["Pod", "Job", "ResourceQuota", "LimitRange", "ResourceClass", ""])
@pytest.mark.parametrize(
    "obj", [{}, {"spec": 5}, {"spec": {"limits": 5, "hard": 5, "containers": 5, "template": 5}}]
)
def test_other_kinds_and_wrong_types_name_none(kind, obj):
    assert candidate_names(obj, kind) == ()
