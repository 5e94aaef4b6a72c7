"""Workloads whose pods could never all run: told at apply, and refused where the namespace wants it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.expect import K80, P100, asking, key
from tests.cluster.expect_quota import limit
from tests.cluster.workloads import workload
from tests.harness.api import Answer, Api
from tests.harness.cluster import fresh_namespace
from tests.harness.kubectl import Kubectl
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

DENY = {"resourceclass.io/enforce-workloads": "deny"}
TOO_MANY = "quota q allows 2 of class nvidia.tesla.k80, and 3 pods of 1 would need 3"


def replicated(kind: str, replicas: int, class_name: str = K80, **spec: Any) -> Json:
    made = workload(kind, "w", {key(class_name): "1"})
    made["spec"] |= {"replicas": replicas, **spec}
    return made


def said(answer: Answer, part: str) -> bool:
    return any(part in warning for warning in answer.warnings)


@pytest.fixture
def limited(api: Api, namespace: str) -> str:
    """A namespace with a quota of two."""
    limit(api, namespace, 2)
    until(lambda: not api.create(asking("p", 3), namespace, dryRun="All").ok, "the quota is in effect")
    return namespace


@pytest.fixture
def strict(api: Api) -> Iterator[str]:
    """The same, and the namespace refuses workloads that cannot run."""
    with fresh_namespace(api, DENY) as namespace:
        limit(api, namespace, 2)
        yield namespace


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"])
def test_more_replicas_than_the_quota_has_are_warned_of(api: Api, limited: str, kind: str) -> None:
    def warned() -> bool:
        answer = api.create(replicated(kind, 3), limited, dryRun="All")
        answer.must()
        return said(answer, f"{kind} w: {TOO_MANY}: no more than 2 pods can run at once")

    until(warned, "the warning comes with the first copy of the quota")


def test_a_job_counts_the_pods_that_run_at_once(api: Api, limited: str) -> None:
    made = workload("Job", "w", {key(K80): "1"})
    made["spec"] |= {"parallelism": 3, "completions": 9}

    until(lambda: said(api.create(made, limited, dryRun="All"), TOO_MANY), "the warning")

    made["spec"] |= {"parallelism": 9, "completions": 2}
    assert not said(api.create(made, limited, dryRun="All"), "quota q allows")


def test_what_fits_the_quota_is_stored_in_silence(api: Api, limited: str) -> None:
    rolling = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}

    answer = api.create(replicated("Deployment", 2, strategy=rolling), limited)

    assert answer.ok
    assert answer.warnings == []


# kubernetes/kubernetes#89209: with a surge the rollout hangs, and only the ReplicaSet has an event.
def test_a_rollout_that_would_hang_is_warned_of(api: Api, limited: str) -> None:
    rolling = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    made = replicated("Deployment", 2, strategy=rolling)

    def warned() -> bool:
        return said(api.create(made, limited, dryRun="All"), "the rollout would hang; write maxSurge: 0")

    until(warned, "the warning")


def test_a_daemon_set_without_a_node_selector_is_warned_of(api: Api, namespace: str) -> None:
    answer = api.create(workload("DaemonSet", "w", {key(K80): "1"}), namespace, dryRun="All")

    answer.must()
    assert said(answer, f"without a node selector its pods stay Pending on nodes without class.{key(K80)}")


def test_a_class_that_no_device_serves_is_warned_of(api: Api, namespace: str) -> None:
    device = {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": f"node-a-{namespace}"},
        "spec": {
            "nodeName": "node-a",
            "deviceID": "GPU-0",
            "properties": {"model": "Tesla K80", "memory": "11441"},
        },
    }
    api.create(device).must()
    try:
        made = replicated("Deployment", 1, P100)
        text = f"no device in the cluster can serve class {P100}"
        until(lambda: said(api.create(made, namespace, dryRun="All"), text), "the warning")
        assert not said(api.create(replicated("Deployment", 1), namespace, dryRun="All"), "no device")
    finally:
        api.delete("ExtendedResource", device["metadata"]["name"]).must()


def test_a_change_that_leaves_the_spec_alone_is_not_spoken_of(api: Api, limited: str) -> None:
    api.create(replicated("Deployment", 3), limited).must()

    answer = api.patch("Deployment", "w", {"metadata": {"labels": {"a": "b"}}}, limited)

    assert answer.ok
    assert answer.warnings == []


def test_a_strict_namespace_refuses_what_cannot_run(api: Api, strict: str) -> None:
    def refused() -> Answer | None:
        answer = api.create(replicated("Deployment", 3), strict, dryRun="All")
        return None if answer.ok else answer

    answer = until(refused, "the refusal")

    assert answer is not None
    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert TOO_MANY in answer.message
    assert "resourceclass.io/enforce-workloads: deny" in answer.message


def test_a_strict_namespace_takes_what_can_run(api: Api, strict: str) -> None:
    api.create(replicated("Deployment", 2), strict).must()


def test_a_strict_namespace_refuses_an_update_that_asks_for_more(api: Api, strict: str) -> None:
    api.create(replicated("Deployment", 2), strict).must()

    answer = api.patch("Deployment", "w", {"spec": {"replicas": 3}}, strict)

    assert answer.code == 403
    assert TOO_MANY in answer.message


def test_a_strict_namespace_lets_everyone_scale_down(api: Api, namespace: str) -> None:
    api.create(replicated("Deployment", 5), namespace).must()
    limit(api, namespace, 2)
    api.patch("Namespace", namespace, {"metadata": {"labels": DENY}}).must()
    until(lambda: not api.create(named("x"), namespace, dryRun="All").ok, "the namespace is strict")

    answer = api.patch("Deployment", "w", {"spec": {"replicas": 3}}, namespace)

    assert answer.ok
    assert said(answer, TOO_MANY)


def named(name: str) -> Json:
    made = replicated("Deployment", 3)
    made["metadata"]["name"] = name
    return made


def test_kubectl_shows_the_warning(kubectl: Kubectl, api: Api, limited: str) -> None:
    until(
        lambda: said(api.create(replicated("Deployment", 3), limited, dryRun="All"), TOO_MANY), "the warning"
    )

    ran = kubectl.apply_client_side(json.dumps(replicated("Deployment", 3)), limited)

    assert ran.ok
    assert f"Warning: Deployment w: {TOO_MANY}" in ran.err
