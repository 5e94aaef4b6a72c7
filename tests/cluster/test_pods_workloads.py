"""Workloads with the bare name: stored under the full one, and their pods are mutated like any other.

The pods are made by the real controllers of kube-controller-manager.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.cluster.expect import K80, assert_mutated, bare_keys, class_terms, key
from tests.cluster.workloads import ALL_KINDS, MAKES_PODS_BY_ITSELF, limits_of, pod_spec, workload
from tests.harness.api import Api
from tests.harness.cluster import fresh_node
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]


def pod_of(api: Api, namespace: str, name: str) -> Json:
    """The first pod of a workload, as soon as its controller has made it."""
    found = until(
        lambda: api.items("Pod", namespace, labelSelector=f"app={name}"), f"a pod of {name} exists", 30
    )
    return found[0]


def run_now(api: Api, namespace: str, name: str) -> None:
    """Makes a CronJob due: it believes to have run last two days ago."""
    two_days_ago = (datetime.now(UTC) - timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    api.patch(
        "CronJob", name, {"status": {"lastScheduleTime": two_days_ago}}, namespace, subresource="status"
    ).must()


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_template_is_stored_under_the_full_name_and_is_otherwise_as_sent(
    api: Api, namespace: str, kind: str
) -> None:
    made = api.create(workload(kind, "bare", {K80: 1, "cpu": "1"}), namespace, dryRun="All")
    full = api.create(workload(kind, "bare", {key(K80): 1, "cpu": "1"}), namespace, dryRun="All").must()

    stored = made.must()

    assert limits_of(stored) == {key(K80): "1", "cpu": "1"}
    assert not bare_keys(stored)
    assert pod_spec(stored) == pod_spec(full)
    assert pod_spec(stored)["schedulerName"] == "default-scheduler", "the rest is done to the pods"
    assert any(key(K80) in warning for warning in made.warnings), made.warnings


@pytest.mark.parametrize("kind", MAKES_PODS_BY_ITSELF)
def test_the_pods_of_a_workload_with_the_bare_name_are_mutated(api: Api, namespace: str, kind: str) -> None:
    with ExitStack() as stack:
        if kind == "DaemonSet":
            stack.enter_context(fresh_node(api, f"node-{namespace}"))
        api.create(workload(kind, "bare", {K80: 2}), namespace).must()
        if kind == "CronJob":
            run_now(api, namespace, "bare")

        made = pod_of(api, namespace, "bare")

        assert_mutated(made, {K80: 2})
        assert made["metadata"]["ownerReferences"][0]["controller"]


# kubernetes/kubernetes#89476, linode/apl-core PR#847: a mutation detached the pod from the chosen node.
def test_the_pod_of_a_daemon_set_stays_pinned_to_its_node(api: Api, namespace: str) -> None:
    with fresh_node(api, f"pin-{namespace}"):
        api.create(workload("DaemonSet", "warmer", {K80: 1}), namespace).must()

        made = pod_of(api, namespace, "warmer")

    required = made["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    assert [field["key"] for field in term["matchFields"]] == ["metadata.name"]
    assert class_terms(made, K80) == [["0"]]
