"""What pods cost a quota, as the API server's quota controller counts it."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.cluster.charge import cost_of, used_of

K80 = "resourceclass.io/nvidia.tesla.k80"


def box(
    limits: dict[str, Any] | None = None, requests: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {"name": "c", "resources": {"limits": limits or {}, "requests": requests or {}}, **more}


def pod(*containers: Any, **spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(containers), **spec}}


def used(wanted: dict[str, Any], *pods: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return used_of({"spec": {"hard": wanted, **spec}}, pods)


@pytest.mark.parametrize(
    ("subject", "key", "amount"),
    [
        (pod(box({K80: 2}), box({K80: 1})), f"requests.{K80}", "3"),
        (pod(box(None, {K80: 2})), f"requests.{K80}", "2"),
        (pod(box({"cpu": "500m"}), box({"cpu": 1}, {"cpu": "250m"})), "requests.cpu", "0.75"),
        (pod(box({"cpu": "500m"}), box({"cpu": 1}, {"cpu": "250m"})), "limits.cpu", "1.5"),
        (pod(box({"memory": "1Gi"})), "memory", "1073741824"),
        (pod(box({K80: 1}), initContainers=[box({K80: 3})]), f"requests.{K80}", "3"),
        (pod(box({K80: 1}), initContainers=[box({K80: 1}, restartPolicy="Always")]), f"requests.{K80}", "2"),
        (
            pod(box({K80: 1}), initContainers=[box({K80: 2}, restartPolicy="Always"), box({K80: 3})]),
            f"requests.{K80}",
            "5",
        ),
        (pod(box(None, {"cpu": 1}), overhead={"cpu": "250m"}), "cpu", "1.25"),
        (pod(box(None, {"cpu": 1}), resources={"requests": {"cpu": 3}}), "cpu", "3"),
        (pod(box(None, {"hugepages-2Mi": "4Mi"})), "hugepages-2Mi", "4194304"),
        (pod(box({K80: "x"})), f"requests.{K80}", "0"),
        (pod(box()), "pods", "1"),
        (pod(box()), "count/pods", "1"),
        (pod(box({K80: 1})), K80, "0"),
        (pod(box()), "services", "0"),
    ],
)
def test_a_key_of_a_quota(subject: dict[str, Any], key: str, amount: str) -> None:
    assert used({key: "9"}, subject) == {key: amount}


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_counts_only_as_an_object(phase: str) -> None:
    finished = {**pod(box({K80: 1, "cpu": 1})), "status": {"phase": phase}}
    assert set(cost_of(finished)) == {"count/pods"}


def test_pods_outside_of_the_scopes_cost_nothing() -> None:
    short, endless = pod(box({K80: 1}), activeDeadlineSeconds=5), pod(box({K80: 4}))
    assert used({f"requests.{K80}": 9}, short, endless, scopes=["Terminating"]) == {f"requests.{K80}": "1"}


def test_a_quota_without_limits_uses_nothing() -> None:
    assert used_of({"spec": None}, [pod(box({K80: 1}))]) == {}
