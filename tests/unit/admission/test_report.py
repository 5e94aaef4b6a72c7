"""What is told of a decision."""

import logging

import pytest

from tests.unit.admission.worlds import pod, request
from webhook.admission.report import Decision, LoggedReport
from webhook.core.outcome import Fault, Outcome, Reason
from webhook.serve.metrics import AdmissionMetrics, ServerMetrics


@pytest.fixture
def report():
    return LoggedReport(AdmissionMetrics(), ServerMetrics())


def decision(document=None, faults=(), **asked):
    document = document or pod(labels={"secret": "hunter2"})
    return Decision("validate", request(document, **asked), Outcome(document, faults=tuple(faults)), 0.0042)


def counted(counter):
    (metric,) = counter.collect()
    return [(sample.labels, sample.value) for sample in metric.samples if sample.name.endswith("_total")]


def test_a_verdict_is_counted_by_its_labels(report):
    report.decided(decision(faults=[Fault(Reason.QUOTA_EXCEEDED, "no")], dry_run=True))
    ((labels, value),) = counted(report._admission.requests)
    assert value == 1
    assert labels == {
        "webhook": "validate",
        "operation": "CREATE",
        "kind": "Pod",
        "allowed": "false",
        "reason": "QuotaExceeded",
        "dry_run": "true",
    }


def test_kinds_without_a_rule_share_one_series(report):
    for kind in ("Anything", "Whatever"):
        report.decided(decision({"apiVersion": "v1", "kind": kind, "metadata": {}}))
    ((labels, value),) = counted(report._admission.requests)
    assert (labels["kind"], value) == ("other", 2)


def test_a_verdict_is_one_log_line_with_its_fields(report, caplog):
    with caplog.at_level(logging.INFO):
        report.decided(decision())
    (record,) = caplog.records
    assert record.fields == {
        "webhook": "validate",
        "uid": "u-1",
        "namespace": "team-a",
        "name": "train",
        "kind": "Pod",
        "operation": "CREATE",
        "dry_run": False,
        "allowed": True,
        "reason": "",
        "ms": 4.2,
    }


def test_the_log_never_holds_the_object(report, caplog):
    with caplog.at_level(logging.INFO):
        report.decided(decision())
    assert "hunter2" not in str(vars(caplog.records[0]))


def test_a_generated_name_is_logged_as_its_prefix(report, caplog):
    nameless = pod(name=None, generateName="train-")
    with caplog.at_level(logging.INFO):
        report.decided(decision(nameless))
    assert caplog.records[0].fields["name"] == "train-"


def test_absurdly_long_names_are_cut(report, caplog):
    with caplog.at_level(logging.INFO):
        report.decided(decision(pod(name="x" * 10_000)))
    assert len(caplog.records[0].fields["name"]) == 256


def test_a_call_without_verdict_is_counted_and_logged(report, caplog):
    report.failed("mutate", 400, "bad_review", "the body is empty")
    assert counted(report._server.refused) == [({"code": "400", "reason": "bad_review"}, 1)]
    assert caplog.records[0].fields["error"] == "the body is empty"


def test_a_fault_of_ours_is_logged_with_its_traceback(report, caplog):
    report.broke("mutate", KeyError("x"))
    assert counted(report._server.refused) == [({"code": "500", "reason": "internal_error"}, 1)]
    assert caplog.records[0].exc_info[0] is KeyError


def test_calls_in_flight_are_counted(report):
    with report.working():
        assert report._admission.in_flight._value.get() == 1
    assert report._admission.in_flight._value.get() == 0
