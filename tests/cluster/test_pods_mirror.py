"""Mirror pods of static pods: the kubelet runs them whatever the API says, so they pass unchanged.

The API server's own quota plugin makes no exception for them: it counts and refuses a mirror like any other
pod. What is ours is to say nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, OURS, assert_denied, key, quota_key
from tests.cluster.reviews import Direct, pod_review
from tests.harness.api import Api
from tests.harness.cluster import pod, quota, quota_synced

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

NODE_GROUPS = ("system:nodes", "system:authenticated")


def mirror(**annotations: str) -> Json:
    made = pod("burn-in-node-a", {key(K80): "1"}, nodeName="node-a")
    made["metadata"]["annotations"] = {
        "kubernetes.io/config.mirror": "5f2c",
        "kubernetes.io/config.source": "file",
        **annotations,
    }
    return made


def kubelet(api: Api) -> Api:
    return api.impersonate("system:node:node-a", *NODE_GROUPS)


# enix/kube-image-keeper#560, aws/amazon-vpc-resource-controller-k8s#351: a patched mirror hides the pod.
def test_a_mirror_pod_is_stored_as_the_kubelet_sent_it(api: Api, namespace: str) -> None:
    stored = kubelet(api).create(mirror(), namespace).must()

    assert stored["spec"]["schedulerName"] == "default-scheduler"
    assert "affinity" not in stored["spec"]
    assert "env" not in stored["spec"]["containers"][0]
    assert stored["spec"]["nodeName"] == "node-a"


@pytest.mark.parametrize("path", ["/mutate", "/validate"])
def test_the_webhook_allows_a_mirror_pod_without_a_patch_whatever_the_quota(
    api: Api, direct: Direct, namespace: str, path: str
) -> None:
    api.create(quota("q", {quota_key(K80): "0"}), namespace).must()
    quota_synced(api, namespace, "q")
    user = {"username": "system:node:node-a", "groups": list(NODE_GROUPS)}

    answer = direct.post(path, pod_review(mirror(), namespace, userInfo=user))

    assert answer.response["allowed"], answer.text
    assert answer.patch == []


# kubernetes/kubernetes#105844
def test_a_mirror_pod_over_the_quota_is_refused_by_the_server_and_not_by_us(api: Api, namespace: str) -> None:
    api.create(quota("q", {quota_key(K80): "0"}), namespace).must()
    quota_synced(api, namespace, "q")

    answer = kubelet(api).create(mirror(), namespace)

    assert_denied(answer, 1, 0, 0, ours=False)


def test_a_mirror_pod_counts_as_used(api: Api, namespace: str) -> None:
    api.create(quota("q", {quota_key(K80): "1"}), namespace).must()
    quota_synced(api, namespace, "q")

    kubelet(api).create(mirror(), namespace).must()

    other = pod("other", {key(K80): "1"})
    answer = api.create(other, namespace)
    assert_denied(answer, 1, 1, 1)


def test_the_annotation_of_a_mirror_pod_helps_no_user(api: Api, namespace: str) -> None:
    answer = api.create(mirror(), namespace)

    assert answer.code == 403, answer.message
    assert OURS in answer.message
    assert api.items("Pod", namespace) == []
