"""The webhook without a network between: the same bytes, answered by an engine in this process."""

import base64
from typing import Any

import orjson

from webhook.admission.engine import Engine
from webhook.admission.played.verdict import Answer
from webhook.core.outcome import Change
from webhook.core.values.names import Json
from webhook.wire.answer import answer
from webhook.wire.review import parse


class LocalWebhook:
    """Answers reviews with an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def review(self, path: str, review: Json) -> Answer:
        """Answer an AdmissionReview that was posted to a path."""
        request = parse(orjson.dumps(review))
        mutates = path.startswith("/mutate")
        decide = self._engine.mutate if mutates else self._engine.validate
        outcome = decide(request, isolated=path.endswith("/isolate"), adopting=path.endswith("/adopt"))
        return decoded(answer(request, outcome, patch=mutates), outcome.changes)


def decoded(body: bytes, changes: tuple[Change, ...] = ()) -> Answer:
    """Read the AdmissionReview that a webhook answered."""
    response: dict[str, Any] = orjson.loads(body)["response"]
    status = response.get("status", {})
    patch = response.get("patch")
    return Answer(
        allowed=response["allowed"],
        code=status.get("code", 0),
        reason=status.get("reason", ""),
        message=status.get("message", ""),
        patch=orjson.loads(base64.b64decode(patch)) if patch else (),
        warnings=tuple(response.get("warnings", ())),
        changes=changes,
    )
