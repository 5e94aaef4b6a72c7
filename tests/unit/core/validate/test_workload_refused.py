"""Namespaces that refuse workloads which can never run."""

import pytest

from tests.unit.core.validate.workloads import outcome, quota, workload
from webhook.core.outcome import Reason
from webhook.core.values.device import DeviceKind

DENY = {"resourceclass.io/enforce-workloads": "deny"}


def test_a_namespace_that_wants_it_refuses_what_cannot_run():
    told = outcome(workload(replicas=3), quotas=[quota("2")], labels=DENY)
    (fault,) = told.faults
    assert fault.reason is Reason.WORKLOAD_CANNOT_RUN
    assert fault.message == (
        "Deployment w: quota q allows 2 of class k80, and 3 pods of 1 would need 3: no more than 2 pods can "
        "run at once (namespace team-a refuses such workloads: resourceclass.io/enforce-workloads: deny)"
    )


def test_all_that_cannot_run_is_told_at_once():
    told = outcome(
        workload(replicas=3), quotas=[quota("2")], labels=DENY, kinds=[DeviceKind({"model": "P100"}, 1)]
    )
    assert len(told.faults) == 2


def test_what_may_still_run_stays_a_warning_where_others_are_refused():
    told = outcome(workload("DaemonSet"), labels=DENY)
    assert told.allowed
    assert len(told.warnings) == 1


@pytest.mark.parametrize("replicas", [5, 9])
def test_making_a_workload_smaller_or_mending_it_is_never_refused(replicas):
    changed = workload(replicas=replicas, minReadySeconds=5)
    told = outcome(changed, old=workload(replicas=9), quotas=[quota("2")], labels=DENY)
    assert told.allowed
    assert len(told.warnings) == 1


def test_making_a_workload_larger_is_refused_like_a_new_one():
    told = outcome(workload(replicas=9), old=workload(replicas=1), quotas=[quota("2")], labels=DENY)
    assert told.reason == "WorkloadCannotRun"


def test_a_daemon_set_that_asks_for_more_than_before_is_refused_like_a_new_one():
    told = outcome(workload("DaemonSet", 3), old=workload("DaemonSet", 1), quotas=[quota("2")], labels=DENY)
    assert told.reason == "WorkloadCannotRun"
