"""The webhook's HTTP edge: one POST in, one AdmissionReview out.

A review that can be read is always answered with 200 and a verdict in it. What is no review gets a 4xx, what
cannot be answered now 503 with Retry-After (the API server tries again within its timeout), and a fault of
ours 500: with `failurePolicy: Fail` that refuses the object, which is the safe side.
"""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Final, Protocol

import flask
from werkzeug.exceptions import HTTPException

from webhook.admission.lookup import InTime
from webhook.admission.report import Decision, Report
from webhook.core.errors import BadReview, ClusterUnavailable, NotReady
from webhook.core.outcome import Outcome
from webhook.serve.limits import MAX_BODY_BYTES, RECEIVED, Deadline, Environ, Refused, deadline, read_body
from webhook.wire.answer import answer
from webhook.wire.review import Request, parse

UNSUPPORTED_MEDIA_TYPE: Final = (415, "unsupported_media_type")
ENTRIES: Final = tuple(
    f"{call}{of_namespace}" for call in ("mutate", "validate") for of_namespace in ("", "/isolate", "/adopt")
)
RETRY_AFTER_SECONDS: Final = "1"


class Decider(Protocol):
    """What the edge needs of an engine."""

    def mutate(self, request: Request, *, isolated: bool, adopting: bool, in_time: InTime) -> Outcome:
        """Return the object as it should be stored."""

    def validate(self, request: Request, *, isolated: bool, adopting: bool, in_time: InTime) -> Outcome:
        """Return whether the object may be stored."""


def create_app(engine: Decider, report: Report, *, max_body_bytes: int = MAX_BODY_BYTES) -> flask.Flask:
    """Return the application: /mutate, /validate, and both with /isolate and /adopt for such namespaces."""
    app = flask.Flask("resourceclass", static_folder=None)
    for webhook in ENTRIES:
        view = _Entry(webhook, engine, report, max_body_bytes)
        app.add_url_rule(f"/{webhook}", webhook, view, methods=["POST"], provide_automatic_options=False)
    app.register_error_handler(HTTPException, _plain)
    return app


class _Entry:
    """One path of the webhook."""

    def __init__(self, webhook: str, engine: Decider, report: Report, max_body_bytes: int) -> None:
        self._webhook = webhook
        self._mutates = webhook.startswith("mutate")
        self._isolated = webhook.endswith("/isolate")
        self._adopting = webhook.endswith("/adopt")
        self._decide = engine.mutate if self._mutates else engine.validate
        self._report = report
        self._max_body_bytes = max_body_bytes

    def __call__(self) -> flask.Response:
        try:
            with self._report.working():
                return self._answered(flask.request.environ)
        except Refused as error:
            return self._failed(error.status, error.reason, error.message)
        except BadReview as error:
            return self._failed(error.code, "bad_review", str(error))
        except NotReady as error:
            return self._failed(503, "not_ready", str(error))
        except ClusterUnavailable as error:
            return self._failed(503, "cluster_unavailable", str(error))
        except Exception as error:  # noqa: BLE001 - the last door: whatever it was, the caller gets an answer
            self._report.broke(self._webhook, error)
            return _text(500, "the webhook failed; its log says why\n")

    def _answered(self, environ: Environ) -> flask.Response:
        begun = environ.get(RECEIVED) or monotonic()
        if flask.request.mimetype != "application/json":
            raise Refused(UNSUPPORTED_MEDIA_TYPE, "send an AdmissionReview as Content-Type: application/json")
        request = parse(read_body(environ, self._max_body_bytes))
        outcome = self._decide(
            request,
            isolated=self._isolated,
            adopting=self._adopting,
            in_time=_before(deadline(environ)),
        )
        body = answer(request, outcome, patch=self._mutates)
        self._report.decided(Decision(self._webhook, request, outcome, monotonic() - begun))
        return flask.Response(body, content_type="application/json")

    def _failed(self, code: int, reason: str, message: str) -> flask.Response:
        self._report.failed(self._webhook, code, reason, message)
        headers = {"Retry-After": RETRY_AFTER_SECONDS} if code == 503 else {}
        return _text(code, f"{message}\n", headers)


def _before(due: Deadline) -> Callable[[], None]:
    def in_time() -> None:
        if due.expired():
            raise ClusterUnavailable("no time is left to read the cluster's state before the caller gives up")

    return in_time


def _plain(error: HTTPException) -> flask.Response:
    """Answer an unknown path or method in one line; what else Werkzeug says is for browsers."""
    response = error.get_response()
    allowed = response.headers.get("Allow")
    return _text(error.code or 500, f"{error.description}\n", {"Allow": allowed} if allowed else {})


def _text(code: int, message: str, headers: Mapping[str, str] | None = None) -> flask.Response:
    return flask.Response(message, code, headers, content_type="text/plain; charset=utf-8")
