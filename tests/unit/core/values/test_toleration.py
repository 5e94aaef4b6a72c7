"""Reading the tolerations of a class, which the API server would only judge in its pods."""

import pytest

from webhook.core.values.toleration import read_tolerations


def problems(*tolerations):
    found = []
    read_tolerations(list(tolerations), "at", found)
    return found


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "gpu"},
        {"key": "gpu", "operator": "Equal", "value": "k80"},
        {"key": "gpu", "value": "", "effect": ""},
        {"key": "gpu", "operator": "", "value": None, "effect": None, "tolerationSeconds": None},
        {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
        {"key": "a" * 253 + "/" + "b" * 63, "operator": "Exists"},
    ],
)
def test_what_a_pod_may_have_a_class_may_have(toleration):
    assert problems(toleration) == []


@pytest.mark.parametrize(
    ("toleration", "problem"),
    [
        ({}, "at[0].key is missing"),
        ({"effect": "NoSchedule"}, "at[0].key is missing"),
        ({"key": "a b"}, "at[0].key 'a b' cannot"),
        ({"key": "A.example/gpu"}, "at[0].key 'A.example/gpu' cannot"),
        ({"key": "/gpu"}, "at[0].key '/gpu' cannot"),
        ({"key": "a/b/c"}, "at[0].key 'a/b/c' cannot"),
        ({"key": "a" * 254 + "/gpu"}, "at[0].key"),
        ({"key": "g" * 64}, "at[0].key"),
        ({"key": 5}, "at[0].key 5 cannot"),
        ({"key": "gpu", "operator": "Exists", "value": "k80"}, "at[0].value must be left out"),
        ({"key": "gpu", "value": "NVIDIA K80"}, "at[0].value 'NVIDIA K80' cannot"),
        ({"key": "gpu", "value": True}, "at[0].value True cannot"),
        ({"key": "gpu", "operator": "Gt", "value": "1"}, "at[0].operator is 'Gt'"),
        ({"key": "gpu", "operator": ["Exists"]}, "at[0].operator is ['Exists']"),
        ({"key": "gpu", "effect": "Never"}, "at[0].effect is 'Never'"),
        ({"key": "gpu", "tolerationSeconds": 5}, "at[0].tolerationSeconds needs effect: NoExecute"),
    ],
)
def test_what_the_api_server_would_refuse_in_a_pod_is_named_with_its_place(toleration, problem):
    found = problems(toleration)
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_the_toleration_at_fault_is_told_from_the_others():
    assert problems({"key": "gpu"}, {})[0].startswith("at[1].key")
