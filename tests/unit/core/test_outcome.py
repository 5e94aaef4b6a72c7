"""What a rule answers, and the HTTP status that goes with it."""

import pytest

from webhook.core.outcome import Fault, Outcome, Reason, refuse

QUOTA = Fault(Reason.QUOTA_EXCEEDED, "exceeded quota: q")
AMOUNT = Fault(Reason.BAD_AMOUNT, "container a: 1.5 is no number of devices")


def test_an_outcome_without_faults_is_allowed_and_names_no_reason():
    outcome = Outcome(object={})
    assert (outcome.allowed, outcome.reason, outcome.message) == (True, "", "")


def test_the_message_holds_all_faults_and_the_reason_is_the_first():
    outcome = refuse({}, [QUOTA, AMOUNT])
    assert not outcome.allowed
    assert outcome.reason == "QuotaExceeded"
    assert outcome.message == "(1) exceeded quota: q; (2) container a: 1.5 is no number of devices"


def test_a_single_fault_is_told_as_it_is():
    assert refuse({}, [QUOTA]).message == "exceeded quota: q"


@pytest.mark.parametrize("reason", [Reason.BAD_AMOUNT, Reason.CONFLICTING_CLASSES, Reason.INVALID_OBJECT])
def test_a_fault_of_the_object_alone_is_422_invalid(reason):
    outcome = refuse({}, [Fault(reason, "x")])
    assert (outcome.code, outcome.status_reason) == (422, "Invalid")


@pytest.mark.parametrize("faults", [[QUOTA], [AMOUNT, QUOTA]])
def test_anything_that_depends_on_the_cluster_is_403_forbidden(faults):
    outcome = refuse({}, faults)
    assert (outcome.code, outcome.status_reason) == (403, "Forbidden")


def test_a_refusal_keeps_the_document_and_its_warnings():
    document = {"kind": "Pod"}
    outcome = refuse(document, [QUOTA], ["careful"])
    assert outcome.object is document
    assert outcome.warnings == ("careful",)
