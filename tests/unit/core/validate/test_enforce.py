"""The namespace label that turns quota and policy refusals into warnings, or off."""

import pytest

from webhook.core.outcome import Fault, Outcome, Reason
from webhook.core.validate.enforce import BENDABLE, Mode, enforce, mode_of

LABEL = "resourceclass.io/enforce"


def refused(*reasons):
    return Outcome(
        object={},
        warnings=("before",),
        faults=tuple(Fault(reason, f"because {reason}") for reason in reasons),
    )


@pytest.mark.parametrize("labels", [{}, {LABEL: "deny"}])
def test_without_the_label_and_with_deny_nothing_changes(labels):
    outcome = refused(*Reason)
    assert enforce(outcome, labels) == outcome


@pytest.mark.parametrize("reason", sorted(BENDABLE))
def test_warn_turns_a_fault_of_quota_or_policy_into_a_warning(reason):
    outcome = enforce(refused(reason), {LABEL: "warn"})
    assert outcome.allowed
    assert outcome.warnings == ("before", f"not enforced (resourceclass.io/enforce: warn): because {reason}")


@pytest.mark.parametrize("reason", sorted(BENDABLE))
def test_off_drops_a_fault_of_quota_or_policy_silently(reason):
    outcome = enforce(refused(reason), {LABEL: "off"})
    assert outcome.allowed
    assert outcome.warnings == ("before",)


@pytest.mark.parametrize("mode", ["warn", "off"])
@pytest.mark.parametrize("reason", sorted(set(Reason) - BENDABLE))
def test_every_other_fault_stays_a_refusal_in_every_mode(reason, mode):
    outcome = refused(reason)
    assert enforce(outcome, {LABEL: mode}) == outcome


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_only_the_bendable_ones_of_several_faults_give_way(mode):
    outcome = enforce(refused(Reason.NODE_NAME, Reason.QUOTA_EXCEEDED), {LABEL: mode})
    assert [fault.reason for fault in outcome.faults] == [Reason.NODE_NAME]


@pytest.mark.parametrize("mode", ["warn", "off"])
def test_the_audit_log_says_what_was_not_enforced(mode):
    outcome = enforce(refused(Reason.QUOTA_EXCEEDED, Reason.NAMESPACE_NOT_ALLOWED), {LABEL: mode})
    assert outcome.audit == {"enforce": mode, "not-enforced": "NamespaceNotAllowed,QuotaExceeded"}


def test_an_unknown_value_counts_as_deny_and_is_warned_of():
    outcome = enforce(refused(Reason.QUOTA_EXCEEDED), {LABEL: "of"})
    assert not outcome.allowed
    assert outcome.warnings[1] == (
        "namespace label resourceclass.io/enforce: of is not known and counts as deny; "
        "known are deny, warn and off"
    )


def test_the_mode_of_an_unknown_value_is_deny():
    assert mode_of({LABEL: "Warn"}) is Mode.DENY


def test_a_warning_keeps_within_what_the_api_server_shows():
    long = Outcome(object={}, faults=(Fault(Reason.QUOTA_EXCEEDED, "word " * 100),))
    assert len(enforce(long, {LABEL: "warn"}).warnings[0]) <= 256
