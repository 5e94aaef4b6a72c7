"""Writing the answer to an AdmissionReview."""

import base64

import orjson
import pytest

from webhook.core.outcome import Fault, Outcome, Reason
from webhook.core.text import WARNING_MAX_LENGTH as WARNING_LENGTH
from webhook.wire.answer import MESSAGE_LENGTH, WARNINGS_LENGTH, answer, fit_warnings
from webhook.wire.review import Request

POD = {"metadata": {"name": "train"}, "spec": {"schedulerName": "default-scheduler"}}
CHANGED = {"metadata": {"name": "train"}, "spec": {"schedulerName": "resourceclass-scheduler"}}


def request(document=POD):
    return Request(
        uid="u-1",
        operation="CREATE",
        group="",
        kind="Pod",
        sub_resource="",
        namespace="team-a",
        name="train",
        user="jane",
        groups=(),
        object=document,
        old_object=None,
        dry_run=False,
    )


def response(outcome, *, patch=True, asked=None):
    review = orjson.loads(answer(asked or request(), outcome, patch=patch))
    assert (review["apiVersion"], review["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    return review["response"]


def refusal(*reasons, message="no"):
    return Outcome(object=POD, faults=tuple(Fault(reason, message) for reason in reasons))


def test_the_answer_carries_the_uid_of_the_question():
    assert response(Outcome(object=POD))["uid"] == "u-1"


def test_an_unchanged_object_has_neither_patch_nor_patch_type():
    assert response(Outcome(object=POD)) == {"uid": "u-1", "allowed": True}


def test_an_equal_copy_has_no_patch_either():
    assert "patch" not in response(Outcome(object=orjson.loads(orjson.dumps(POD))))


def test_a_changed_object_has_both_patch_and_patch_type():
    found = response(Outcome(object=CHANGED))
    assert found["patchType"] == "JSONPatch"
    assert orjson.loads(base64.b64decode(found["patch"])) == [
        {"op": "replace", "path": "/spec/schedulerName", "value": "resourceclass-scheduler"}
    ]


def test_a_validating_answer_never_carries_a_patch():
    assert response(Outcome(object=CHANGED), patch=False) == {"uid": "u-1", "allowed": True}


def test_a_refusal_never_carries_a_patch():
    found = response(Outcome(object=CHANGED, faults=(Fault(Reason.NODE_NAME, "no"),)))
    assert "patch" not in found


@pytest.mark.parametrize(
    ("reasons", "code", "reason"),
    [
        ((Reason.QUOTA_EXCEEDED,), 403, "Forbidden"),
        ((Reason.BAD_AMOUNT,), 422, "Invalid"),
        ((Reason.BAD_AMOUNT, Reason.QUOTA_EXCEEDED), 403, "Forbidden"),
    ],
)
def test_a_refusal_says_code_and_reason(reasons, code, reason):
    status = response(refusal(*reasons))["status"]
    assert (status["code"], status["reason"], status["status"]) == (code, reason, "Failure")


def test_a_refusal_carries_its_text():
    status = response(refusal(Reason.NODE_NAME, message="spec.nodeName ü"))["status"]
    assert status["message"] == "spec.nodeName ü"


def test_a_very_long_refusal_is_cut():
    message = response(refusal(Reason.NODE_NAME, message="x" * 100_000))["status"]["message"]
    assert len(message) == MESSAGE_LENGTH
    assert message.endswith("…")


def test_warnings_are_part_of_the_answer():
    assert response(Outcome(object=POD, warnings=("mind the gap",)))["warnings"] == ["mind the gap"]


def test_a_refusal_keeps_its_warnings():
    outcome = Outcome(object=POD, faults=(Fault(Reason.NODE_NAME, "no"),), warnings=("mind",))
    assert response(outcome)["warnings"] == ["mind"]


def test_audit_keys_hold_no_slash():
    outcome = Outcome(object=POD, audit={"resourceclass.io/decision": "allowed", "reason": "x/y"})
    assert response(outcome)["auditAnnotations"] == {"resourceclass.io.decision": "allowed", "reason": "x/y"}


def test_a_warning_is_cut_to_what_the_api_server_shows():
    (line,) = fit_warnings(["ä" * 300])
    assert len(line) == WARNING_LENGTH
    assert line.endswith("…")


def test_a_warning_that_fits_is_left_alone():
    assert fit_warnings(["x" * WARNING_LENGTH]) == ["x" * WARNING_LENGTH]


def test_control_characters_become_spaces():
    assert fit_warnings(["a\nb\tc\x7f"]) == ["a b c "]


def test_the_same_warning_is_said_once():
    assert fit_warnings(["a", "b", "a"]) == ["a", "b"]


def test_warnings_beyond_the_room_are_counted():
    lines = fit_warnings([f"{number:03d}" + "x" * 250 for number in range(30)])
    assert sum(map(len, lines)) <= WARNINGS_LENGTH
    assert lines[-1] == f"{30 - len(lines) + 1} more warnings were left out"


def test_warnings_that_just_fit_are_all_kept():
    lines = [chr(ord("a") + number) * WARNING_LENGTH for number in range(WARNINGS_LENGTH // WARNING_LENGTH)]
    assert fit_warnings(lines) == lines
