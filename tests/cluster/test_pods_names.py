"""The bare name of a class, as people type it: renamed where Kubernetes allows only qualified names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, OURS, assert_as_sent, assert_mutated, bare_keys, key
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


# The server copies limits to requests before admission: renaming the limits alone would end in a 422.
def test_a_bare_name_is_renamed_in_limits_and_requests(api: Api, namespace: str) -> None:
    sent = pod("bare", {K80: 1})

    stored = api.create(sent, namespace).must()

    assert_mutated(stored)
    assert_as_sent(api, stored, sent)
    resources = stored["spec"]["containers"][0]["resources"]
    assert resources == {"limits": {key(K80): "1"}, "requests": {key(K80): "1"}}


def test_a_bare_name_beside_other_resources_leaves_them_alone(api: Api, namespace: str) -> None:
    amounts = {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Gi", "nvidia.com/gpu": "1"}

    stored = api.create(pod("mixed", {**amounts, K80: 2}), namespace).must()

    assert_mutated(stored, {K80: 2})
    assert stored["spec"]["containers"][0]["resources"]["limits"] == {**amounts, key(K80): "2"}


def test_of_two_spellings_the_bare_one_counts(api: Api, namespace: str) -> None:
    stored = api.create(pod("both", {K80: 1, key(K80): 3}), namespace).must()

    assert_mutated(stored)
    assert stored["spec"]["containers"][0]["resources"]["limits"] == {key(K80): "1"}


def test_init_containers_may_use_the_bare_name_too(api: Api, namespace: str) -> None:
    init = [{"name": "warm", "image": IMAGE, "resources": {"limits": {K80: 2}}}]

    stored = api.create(pod("init", {K80: 1}, initContainers=init), namespace).must()

    assert_mutated(stored, {K80: 2})


def test_a_name_that_is_nearly_a_class_is_refused_with_the_right_one(api: Api, namespace: str) -> None:
    answer = api.create(pod("slip", {"nvidia.tesla.k8": 1}), namespace)

    assert answer.code == 403, answer.message
    assert OURS in answer.message
    assert 'container "main": "nvidia.tesla.k8" is no class; did you mean nvidia.tesla.k80?' in answer.message


def test_a_name_that_is_like_no_class_is_left_to_the_server(api: Api, namespace: str) -> None:
    answer = api.create(pod("other", {"bananas": 1}), namespace)

    assert answer.code == 422, answer.message
    assert OURS not in answer.message


def test_a_stored_name_of_no_class_is_refused(api: Api, namespace: str) -> None:
    answer = api.create(pod("ghost", {key("nobody.knows.this"): 1}), namespace)

    assert answer.code == 403, answer.message
    assert OURS in answer.message
    assert "nobody.knows.this" in answer.message


def test_a_class_made_a_moment_ago_is_known_at_once(api: Api, namespace: str) -> None:
    for number in range(5):
        name = f"new.class{number}"
        made = {
            "apiVersion": "resourceclass.io/v1alpha1",
            "kind": "ResourceClass",
            "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": {"model": "New"}}},
        }
        api.create(made).must()
        try:
            stored = api.create(pod(f"early-{number}", {name: 1}), namespace).must()
        finally:
            api.delete("ResourceClass", name)

        assert_mutated(stored, {name: 1})


# kyverno/kyverno#1480: the path of a CronJob was forgotten.
@pytest.mark.parametrize("kind", ["CronJob", "Deployment"])
def test_a_template_with_the_bare_name_is_stored_with_a_warning(api: Api, namespace: str, kind: str) -> None:
    made = api.create(WORKLOADS[kind], namespace)

    stored = made.must()
    assert not bare_keys(stored)
    assert any(key(K80) in warning for warning in made.warnings), made.warnings


_CONTAINERS = [{"name": "c", "image": IMAGE, "resources": {"limits": {K80: 1}}}]
WORKLOADS: dict[str, Json] = {
    "CronJob": {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {
            "schedule": "0 3 * * *",
            "jobTemplate": {
                "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": _CONTAINERS}}}
            },
        },
    },
    "Deployment": {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "serve"},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": "serve"}},
            "template": {"metadata": {"labels": {"app": "serve"}}, "spec": {"containers": _CONTAINERS}},
        },
    },
}
