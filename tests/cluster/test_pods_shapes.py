"""Pods of odd shapes are mutated with everything else in them left as it was sent."""

from __future__ import annotations

from typing import Any

import jsonpatch
import pytest

from tests.cluster.expect import (
    K80,
    OURS,
    SCHEDULER,
    asking,
    assert_as_sent,
    assert_mutated,
    assert_room,
    bare_keys,
    class_terms,
    key,
    quota_key,
)
from tests.cluster.reviews import Direct, pod_review
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod, quota, quota_synced

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

NULLS: Json = {
    "affinity": None,
    "nodeSelector": None,
    "tolerations": None,
    "schedulerName": None,
    "initContainers": None,
    "containers": [
        {
            "name": "nb",
            "image": IMAGE,
            "env": None,
            "resources": {"limits": {key(K80): "1"}, "requests": None},
        },
        {"name": "proxy", "image": IMAGE, "resources": None},
    ],
}
POD_AFFINITY: Json = {
    "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "db"}}}
        ]
    }
}


def hub_user(**spec: Any) -> Json:
    made = pod("hub-user", **{**NULLS, **spec})
    made["metadata"] |= {"annotations": None, "labels": None}
    return made


# kubernetes/kubernetes#90623, open-policy-agent/library#25: annotations lost, or nested under half a key.
def test_annotations_with_slash_and_tilde_stay_as_they_are(api: Api, namespace: str) -> None:
    some = asking("some")
    some["metadata"] |= {
        "annotations": {"billing.example.com/cost-centre": "42", "note": "a~b/c"},
        "labels": {"app.kubernetes.io/name": "x"},
    }

    stored = api.create(some, namespace).must()

    assert_mutated(stored)
    assert_as_sent(api, stored, some)
    assert stored["metadata"]["annotations"] == some["metadata"]["annotations"]
    assert stored["metadata"]["labels"] == some["metadata"]["labels"]


# kyverno/kyverno PR#532: "doc is missing path".
def test_a_pod_without_annotations_gets_none(api: Api, namespace: str) -> None:
    none = asking("none")

    stored = api.create(none, namespace).must()

    assert_mutated(stored)
    assert_as_sent(api, stored, none)
    assert "annotations" not in stored["metadata"]
    assert "labels" not in stored["metadata"]


# jupyterhub/kubespawner#669, kubernetes/kubernetes#39934: clients send every unset field as null.
@pytest.mark.parametrize(
    "affinity",
    [None, {}, {"nodeAffinity": None}, {"nodeAffinity": {}}, {"podAffinity": {}}, POD_AFFINITY],
    ids=str,
)
def test_a_pod_full_of_nulls_is_mutated(api: Api, namespace: str, affinity: Json | None) -> None:
    sent = hub_user(affinity=affinity)

    stored = api.create(sent, namespace).must()

    assert_mutated(stored)
    assert_as_sent(api, stored, sent)
    kept = {name: value for name, value in (affinity or {}).items() if name == "podAffinity"}
    assert kept.items() <= stored["spec"]["affinity"].items()


# jupyterhub/kubespawner#669: some proxies do not strip the nulls.
@pytest.mark.parametrize("name", ["nvidia.tesla.k80", key(K80)])
def test_nulls_posted_to_the_webhook_itself_give_a_patch_as_well(direct: Direct, name: str) -> None:
    sent = hub_user()
    sent["spec"]["containers"] = [
        {**NULLS["containers"][0], "resources": {"limits": {name: "1"}, "requests": None}},
        NULLS["containers"][1],
    ]

    answer = direct.post("/mutate", pod_review(sent, "default"))

    assert answer.response["allowed"], answer.text
    patched = jsonpatch.apply_patch(sent, answer.patch)
    assert patched["spec"]["schedulerName"] == SCHEDULER
    assert class_terms(patched, K80) == [["0"]]
    assert patched["spec"]["containers"][0]["resources"] == {"limits": {key(K80): "1"}, "requests": None}
    assert patched["spec"]["tolerations"] is None


# argoproj/argo-workflows PR#16399, kubernetes/kubernetes PR#128407: counted once per container.
def test_resources_of_the_pod_itself_are_kept_and_the_class_counts_once(api: Api, namespace: str) -> None:
    api.create(quota("q", {quota_key(K80): "1"}), namespace).must()
    quota_synced(api, namespace, "q")
    containers = [
        {"name": "a", "image": IMAGE, "resources": {"limits": {key(K80): "1"}}},
        {"name": "b", "image": IMAGE},
    ]
    budget = pod("budget", containers=containers, resources={"limits": {"cpu": "2", "memory": "1Gi"}})

    stored = api.create(budget, namespace).must()

    assert_mutated(stored)
    assert_as_sent(api, stored, budget)
    assert stored["spec"]["resources"]["limits"] == {"cpu": "2", "memory": "1Gi"}
    assert_room(api, namespace, 0)


def test_a_stored_class_at_the_level_of_the_pod_is_refused_by_the_server(api: Api, namespace: str) -> None:
    answer = api.create(pod("budget", resources={"limits": {key(K80): "1"}}), namespace)

    assert answer.code == 422, answer.message
    assert "spec.resources" in answer.message


def test_a_bare_class_at_the_level_of_the_pod_is_refused_with_the_remedy(api: Api, namespace: str) -> None:
    answer = api.create(pod("budget", resources={"limits": {K80: "1"}}), namespace)

    assert answer.code == 422, answer.message
    assert OURS in answer.message
    assert "move it to the resources of the container" in answer.message


# kubernetes/kubernetes#134880: restartable init containers lost what made them so.
def test_fields_of_containers_that_the_webhook_does_not_know_survive(api: Api, namespace: str) -> None:
    init = {
        "name": "sidecar",
        "image": IMAGE,
        "restartPolicy": "Always",
        "startupProbe": {"exec": {"command": ["true"]}},
        "resources": {"limits": {K80: 1}},
    }
    sent = asking("odd", initContainers=[init])

    stored = api.create(sent, namespace).must()

    assert_mutated(stored, {K80: 2})
    assert_as_sent(api, stored, sent)
    assert stored["spec"]["initContainers"][0]["restartPolicy"] == "Always"
    assert not bare_keys(stored)
