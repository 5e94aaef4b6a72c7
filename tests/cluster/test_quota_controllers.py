"""What the controllers of Kubernetes make of our refusals: they wait, tell the reason, and try again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.expect import K80, OURS, asking, exceeded, key
from tests.cluster.expect_quota import limit
from tests.cluster.workloads import workload
from tests.harness.api import STRATEGIC_PATCH, Api
from tests.harness.waiting import holds, until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

# Controllers try again after a pause that doubles with each refusal.
RETRY_SECONDS = 75.0


def pods(api: Api, namespace: str, name: str) -> list[Json]:
    return [
        each
        for each in api.items("Pod", namespace, labelSelector=f"app={name}")
        if each["status"].get("phase") not in ("Succeeded", "Failed")
        and "deletionTimestamp" not in each["metadata"]
    ]


def set_phase(api: Api, made: Json, phase: str) -> None:
    """Does what the kubelet does; there is none."""
    state = {"status": {"phase": phase}}
    if phase == "Running":
        state["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    where: Any = {"subresource": "status", "content_type": STRATEGIC_PATCH}
    api.patch("Pod", made["metadata"]["name"], state, made["metadata"]["namespace"], **where)


def refusals(api: Api, namespace: str, kind: str, name: str = "") -> list[str]:
    """The messages of the events that say that a pod could not be created."""
    return [
        event["message"]
        for event in api.items("Event", namespace)
        if event["reason"] == "FailedCreate"
        and event["involvedObject"]["kind"] == kind
        and event["involvedObject"]["name"].startswith(name)
    ]


def tells(messages: list[str], requested: int, used: int, limited: int) -> bool:
    return any(exceeded(each).get(("q", K80)) == (requested, used, limited) for each in messages)


# argoproj/argo-workflows#12802: only a 403 that says "exceeded quota" is tried again.
@pytest.mark.timeout(240)
def test_a_job_waits_for_the_quota_and_completes(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)
    job = workload("Job", "sweep", {key(K80): "1"})
    job["spec"] |= {"parallelism": 4, "completions": 4}
    api.create(job, namespace).must()

    until(lambda: len(pods(api, namespace, "sweep")) == 2, "two pods", 30)
    until(
        lambda: tells(refusals(api, namespace, "Job"), 1, 2, 2),
        "an event that says why there are no more",
        30,
    )
    assert "failed" not in api.get("Job", "sweep", namespace).must()["status"]

    def completed() -> bool:
        for each in pods(api, namespace, "sweep"):
            set_phase(api, each, "Succeeded")
        status = api.get("Job", "sweep", namespace).must()["status"]
        return any(c["type"] == "Complete" and c["status"] == "True" for c in status.get("conditions", []))

    until(completed, "the Job is complete", 2 * RETRY_SECONDS)
    assert api.get("Job", "sweep", namespace).must()["status"]["succeeded"] == 4


def test_a_refusal_is_what_workflow_engines_try_again(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)
    api.create(asking("first", 2), namespace).must()

    answer = api.create(asking("second"), namespace)

    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert answer.body["code"] == 403, (
        "set by us: without it the server answers 400, which is taken for fatal"
    )
    assert answer.body["status"] == "Failure"
    assert exceeded(answer.message)["q", K80] == (1, 2, 2)
    assert OURS in answer.message


def serve(surge: int, unavailable: int) -> Json:
    made = workload("Deployment", "serve", {key(K80): "1"})
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    made["spec"] |= {"replicas": 2, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}
    return made


def running(api: Api, namespace: str, wanted: Callable[[list[Json]], bool]) -> Callable[[], bool]:
    """Whether the pods are as wanted; each that is there is made ready first."""

    def check() -> bool:
        found = pods(api, namespace, "serve")
        for each in found:
            if each["status"].get("phase") == "Pending":
                set_phase(api, each, "Running")
        return wanted(found)

    return check


def image(made: Json) -> str:
    text: str = made["spec"]["containers"][0]["image"]
    return text


# kubernetes/kubernetes#89209: with a surge it hangs, and the only trace is an event on the ReplicaSet.
@pytest.mark.timeout(300)
def test_a_rolling_update_hangs_on_the_quota_says_so_and_goes_on_without_a_surge(
    api: Api, namespace: str
) -> None:
    limit(api, namespace, 2)
    api.create(serve(1, 0), namespace).must()
    until(running(api, namespace, lambda found: len(found) == 2), "two pods", 30)
    old = {each["metadata"]["uid"] for each in pods(api, namespace, "serve")}

    set_image(api, namespace, "example.com/none:2")

    until(
        lambda: tells(refusals(api, namespace, "ReplicaSet", "serve"), 1, 2, 2),
        "an event with the reason",
        40,
    )
    until(lambda: "ReplicaFailure" in conditions(api, namespace), "the Deployment says so too", 40)
    assert {each["metadata"]["uid"] for each in pods(api, namespace, "serve")} == old, "the old pods run on"

    api.patch(
        "Deployment", "serve", {"spec": {"strategy": serve(0, 1)["spec"]["strategy"]}}, namespace
    ).must()

    rolled = running(
        api, namespace, lambda found: [image(each) for each in found] == ["example.com/none:2"] * 2
    )
    until(rolled, "both pods are new", 2 * RETRY_SECONDS)


def set_image(api: Api, namespace: str, name: str) -> None:
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": name}]}}}}
    api.patch("Deployment", "serve", patch, namespace, content_type=STRATEGIC_PATCH).must()


def conditions(api: Api, namespace: str) -> set[str]:
    status = api.get("Deployment", "serve", namespace).must()["status"]
    return {each["type"] for each in status.get("conditions", []) if each["status"] == "True"}


@pytest.mark.timeout(180)
def test_replicas_beyond_the_quota_wait_and_what_is_freed_is_anyones(api: Api, namespace: str) -> None:
    limit(api, namespace, 2)
    api.create(serve(0, 1), namespace).must()
    until(lambda: len(pods(api, namespace, "serve")) == 2, "two pods", 30)

    scale(api, namespace, 5)
    until(
        lambda: tells(refusals(api, namespace, "ReplicaSet", "serve"), 1, 2, 2),
        "an event with the reason",
        40,
    )
    holds(lambda: len(pods(api, namespace, "serve")) == 2, "no third pod", 1.0)

    scale(api, namespace, 1)
    until(lambda: api.create(asking("other"), namespace).ok, "a pod of another owner is admitted", 30)


def scale(api: Api, namespace: str, replicas: int) -> None:
    api.patch("Deployment", "serve", {"spec": {"replicas": replicas}}, namespace, subresource="scale").must()
