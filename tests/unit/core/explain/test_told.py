"""Events and conditions, read as those who wrote them meant them."""

from __future__ import annotations

from webhook.core.explain.told import Told, latest, scheduling_condition, told_of


def told(when, reason="FailedScheduling", message="m", about="pod/train", by="scheduler"):
    return Told(when, by, reason, message, about)


def test_an_event_of_core():
    event = {
        "involvedObject": {"kind": "ReplicaSet", "name": "train-5d9", "uid": "u"},
        "reason": "FailedCreate",
        "message": "no",
        "count": 3,
        "lastTimestamp": "2026-01-01T10:00:00Z",
        "source": {"component": "replicaset-controller"},
    }
    assert told_of(event) == Told(
        "2026-01-01T10:00:00Z", "replicaset-controller", "FailedCreate", "no", "replicaset/train-5d9", "u", 3
    )


def test_an_event_of_the_scheduler_has_its_time_and_count_in_the_series():
    event = {
        "involvedObject": {"kind": "Pod", "name": "train"},
        "eventTime": "2026-01-01T10:00:00.000001Z",
        "lastTimestamp": None,
        "series": {"count": 7, "lastObservedTime": "2026-01-01T11:00:00.000001Z"},
        "reportingComponent": "resourceclass-scheduler",
    }
    found = told_of(event)
    assert (found.when, found.count) == ("2026-01-01T11:00:00.000001Z", 7)
    assert told_of({**event, "series": None}).when == "2026-01-01T10:00:00.000001Z"
    assert told_of({**event, "series": None}).count == 1


def test_an_event_without_any_time_was_told_when_it_was_made():
    assert told_of({"metadata": {"creationTimestamp": "2026-01-01T10:00:00Z"}}).when == "2026-01-01T10:00:00Z"


def test_of_each_reason_the_latest_is_kept_and_the_latest_comes_first():
    one, two, other = told("1"), told("2"), told("3", reason="FailedBinding")
    assert latest([one, other, two], 5) == (other, two)
    assert latest([one, other, two], 1) == (other,)


def test_the_condition_of_a_pod_that_waits():
    conditions = [
        {"type": "Ready", "status": "False"},
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"},
    ]
    pod = {"metadata": {"name": "train"}, "status": {"conditions": conditions}}
    found = scheduling_condition(pod)
    assert found is not None
    assert (found.reason, found.message, found.about) == ("Unschedulable", "no room", "pod/train")


def test_a_scheduled_pod_has_no_such_condition():
    assert (
        scheduling_condition({"status": {"conditions": [{"type": "PodScheduled", "status": "True"}]}}) is None
    )
    assert scheduling_condition({}) is None
