"""How many pods a workload wants, and what is said where some are missing."""

from __future__ import annotations

import pytest

from webhook.core.explain.answer import State
from webhook.core.explain.family import Family, explain_family, wanted_pods
from webhook.core.explain.told import Told

REFUSAL = Told("2026-01-01T10:00:00Z", "job-controller", "FailedCreate", "Error creating: no", "job/train")
COMPLETE = {"conditions": [{"type": "Complete", "status": "True"}]}


@pytest.mark.parametrize(
    ("kind", "spec", "status", "wanted"),
    [
        ("Deployment", {}, {}, 1),
        ("Deployment", {"replicas": 3}, {}, 3),
        ("StatefulSet", {"replicas": 0}, {}, 0),
        ("ReplicaSet", {"replicas": "x"}, {}, 1),
        ("DaemonSet", {}, {"desiredNumberScheduled": 4}, 4),
        ("Job", {}, {}, 1),
        ("Job", {"parallelism": 5, "completions": 8}, {"succeeded": 2}, 5),
        ("Job", {"parallelism": 5, "completions": 8}, {"succeeded": 7}, 1),
        ("Job", {}, COMPLETE, 0),
        ("Job", {"suspend": True}, {}, 0),
        ("CronJob", {}, {}, None),
    ],
)
def test_the_pods_that_a_workload_wants(kind, spec, status, wanted):
    assert wanted_pods({"kind": kind, "spec": spec, "status": status}) == wanted


@pytest.mark.parametrize(
    ("family", "state", "words"),
    [
        (Family("job a/b", 2, 1, [REFUSAL]), State.REFUSED, "job a/b has 1 of 2 pods, and the next one is"),
        (Family("cronjob a/b", None, 0, [REFUSAL]), State.REFUSED, "cronjob a/b has 0 pods"),
        (Family("job a/b", 0, 0, [REFUSAL]), State.NO_PODS, "job a/b wants no pod now"),
        (Family("job a/b", 2, 0), State.NO_PODS, "wants 2 pods and has none, and no event says why"),
        (Family("cronjob a/b", None, 0), State.NO_PODS, "has no pod, and no event says why"),
    ],
)
def test_missing_pods_are_explained(family, state, words):
    found = explain_family(family)
    assert found is not None
    assert found.verdict.state is state
    assert words in found.verdict.headline
    assert "Error creating" not in found.verdict.headline


@pytest.mark.parametrize(
    "family", [Family("job a/b", 2, 2, [REFUSAL]), Family("job a/b", 2, 1), Family("cronjob a/b", None, 1)]
)
def test_pods_that_are_there_speak_for_themselves(family):
    assert explain_family(family) is None
