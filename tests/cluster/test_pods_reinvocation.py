"""One pod, several admission calls: it counts once, is patched once, and what others add later counts too."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, OURS, asking, assert_denied, assert_mutated, assert_room, key, quota_key
from tests.cluster.reviews import Direct, pod_review
from tests.cluster.second_webhook import injector
from tests.harness.api import Api
from tests.harness.cluster import IMAGE, pod, quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.product import fresh_class

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

# Webhooks are called in the order of the names of their configurations; ours is called resourceclass.
BEFORE_AND_AFTER_OURS = ("a-injector", "z-injector")


def late(spelling: str) -> Json:
    return {
        "name": "late",
        "image": IMAGE,
        "resources": {"limits": {spelling: "1"}, "requests": {spelling: "1"}},
    }


def limit(api: Api, namespace: str, amount: int) -> None:
    api.create(quota("q", {quota_key(K80): amount}), namespace).must()
    quota_synced(api, namespace, "q")


# kubernetes/enhancements PR#1049, istio/istio PR#45233: containers injected later were not counted.
@pytest.mark.parametrize("name", BEFORE_AND_AFTER_OURS)
@pytest.mark.parametrize("spelling", [key(K80), K80])
def test_a_container_that_another_webhook_adds_is_renamed_and_counted(
    control_plane: ControlPlane, api: Api, namespace: str, name: str, spelling: str
) -> None:
    limit(api, namespace, 3)

    with injector(control_plane, namespace, name, late(spelling)):
        stored = api.create(asking("woven", 2), namespace).must()

    assert [container["name"] for container in stored["spec"]["containers"]] == ["main", "late"]
    assert_mutated(stored, {K80: 3})
    assert_room(api, namespace, 0)


def test_what_a_class_adds_to_a_pod_is_there_once_after_two_calls(
    control_plane: ControlPlane, api: Api, namespace: str
) -> None:
    toleration = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
    with (
        fresh_class(api, "twice.called", pod={"tolerations": [toleration]}),
        injector(control_plane, namespace, "z-injector", late(key("twice.called"))),
    ):
        stored = api.create(asking("woven", 2, "twice.called"), namespace).must()

    assert_mutated(stored, {"twice.called": 3})
    assert stored["spec"]["tolerations"].count(toleration) == 1
    for container in stored["spec"]["containers"]:
        names = [variable["name"] for variable in container["env"]]
        assert len(names) == len(set(names)), names


@pytest.mark.parametrize("name", BEFORE_AND_AFTER_OURS)
def test_a_pod_that_another_webhook_makes_too_large_is_refused_and_costs_nothing(
    control_plane: ControlPlane, api: Api, namespace: str, name: str
) -> None:
    limit(api, namespace, 2)

    with injector(control_plane, namespace, name, late(key(K80))):
        answer = api.create(asking("woven", 2), namespace)

    assert_denied(answer, 3, 0, 2)
    assert api.items("Pod", namespace) == []
    assert_room_after_the_injector(api, namespace)


def assert_room_after_the_injector(api: Api, namespace: str) -> None:
    used = api.get("ResourceQuota", "q", namespace).must()["status"]["used"]
    assert used == {quota_key(K80): "0"}


# A webhook that was not called in the first round is not called when others have changed the pod.
def test_a_pod_that_gets_a_class_after_our_turn_is_refused_with_the_cause(
    control_plane: ControlPlane, api: Api, namespace: str
) -> None:
    with injector(control_plane, namespace, "z-injector", late(key(K80))):
        answer = api.create(pod("plain"), namespace)

    assert answer.code == 403, answer.message
    assert OURS in answer.message
    assert "webhook" in answer.message.removeprefix(OURS)
    assert api.items("Pod", namespace) == []


# gardener/gardener PR#3293: patches doubled by a second call.
def test_a_second_mutating_call_changes_nothing(direct: Direct, api: Api, namespace: str) -> None:
    stored = api.create(asking("once", 2), namespace, dryRun="All").must()

    again = direct.post("/mutate", pod_review(stored, namespace))

    assert again.response["allowed"]
    assert again.patch == []
    assert "patchType" not in again.response


@pytest.mark.parametrize("path", ["/mutate", "/validate"])
def test_a_review_that_is_posted_twice_gets_the_same_answer_and_counts_nothing(
    direct: Direct, api: Api, namespace: str, path: str
) -> None:
    limit(api, namespace, 3)
    final = api.create(asking("twice", 2), namespace, dryRun="All").must()
    review = pod_review(final, namespace)

    first, second = direct.post(path, review), direct.post(path, review)

    assert first.response["allowed"], first.text
    assert first.response == second.response
    assert_room(api, namespace, 3)
