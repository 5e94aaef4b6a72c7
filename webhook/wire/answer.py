"""The other half of an AdmissionReview: an `Outcome` to the bytes that the API server reads.

What the API server does with each field: k8s.io/apiserver, pkg/admission/plugin/webhook (request and
errors) and pkg/endpoints/filters/warning.go.
"""

import base64
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson

from webhook.core.outcome import Outcome
from webhook.core.patch import diff
from webhook.core.text import shorten
from webhook.core.values.names import Json
from webhook.wire.review import API_VERSION, KIND, Request

# The API server keeps 4,096 characters of warnings in all and cuts each to 256 when there are more.
# `shorten` cuts each first, so that it is us who choose what is lost.
WARNINGS_LENGTH: Final = 4096

# The text of a refusal ends up in an event (1,024 characters), a terminal and the audit log. A pod of
# 15,000 faulty containers would otherwise be answered with a megabyte.
MESSAGE_LENGTH: Final = 8192


def answer(request: Request, outcome: Outcome, *, patch: bool) -> bytes:
    """Return the AdmissionReview that answers `request`.

    `patch` says whether this call may change the object; a validating webhook must not even try, or
    the API server counts the call as failed.
    """
    response: Json = {"uid": request.uid, "allowed": outcome.allowed}
    if not outcome.allowed:
        response["status"] = _status(outcome)
    elif patch:
        response |= _patch(request, outcome)
    if warnings := fit_warnings(outcome.warnings):
        response["warnings"] = warnings
    if outcome.audit:
        response["auditAnnotations"] = _audit(outcome.audit)
    return orjson.dumps({"apiVersion": API_VERSION, "kind": KIND, "response": response})


def _status(outcome: Outcome) -> Json:
    # Without a code of 400 or more the API server answers 400 and no reason, which workflow engines
    # take for final; with 403 Forbidden and the words "exceeded quota" they try again.
    return {
        "status": "Failure",
        "code": outcome.code,
        "reason": outcome.status_reason,
        "message": shorten(outcome.message, MESSAGE_LENGTH),
    }


def _patch(request: Request, outcome: Outcome) -> Json:
    before = request.document
    operations = [] if outcome.object is before else diff(before, outcome.object)
    if not operations:
        return {}
    return {"patchType": "JSONPatch", "patch": base64.b64encode(orjson.dumps(operations)).decode("ascii")}


def _audit(audit: Mapping[str, str]) -> dict[str, str]:
    # The API server prefixes each key with the webhook's name and a slash, and refuses a second slash.
    return {key.replace("/", "."): value for key, value in audit.items()}


def fit_warnings(warnings: Iterable[str]) -> list[str]:
    """Return the warnings as the API server will show them: each once, on one line, none too long."""
    lines = [shorten(_one_line(text)) for text in dict.fromkeys(warnings)]
    kept: list[str] = []
    room = WARNINGS_LENGTH
    for position, line in enumerate(lines):
        left_out = len(lines) - position
        note = f"{left_out} more warnings were left out"
        # Only the last line may use the room that the note would need.
        if len(line) + (len(note) if left_out > 1 else 0) > room:
            return [*kept, note]
        kept.append(line)
        room -= len(line)
    return kept


def _one_line(text: Any) -> str:
    # A control character makes the API server drop the whole warning.
    return "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in str(text))
