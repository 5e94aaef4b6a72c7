"""The webhook's HTTP edge: one POST in, one AdmissionReview out.

A review that can be read is always answered with 200 and a verdict in it. What is no review gets a 4xx, what
cannot be answered now 503 with Retry-After (the API server tries again within its timeout), and a fault of
ours 500: with `failurePolicy: Fail` that refuses the object, which is the safe side.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final, Protocol

from webhook.admission.lookup import InTime
from webhook.admission.report import Decision, Report
from webhook.core.errors import BadReview, ClusterUnavailable, NotReady
from webhook.core.outcome import Outcome
from webhook.serve.direct import DirectApp, Reply, json_reply, text_reply
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


def create_app(engine: Decider, report: Report, *, max_body_bytes: int = MAX_BODY_BYTES) -> DirectApp:
    """Return the application: /mutate, /validate, and both with /isolate and /adopt for such namespaces."""
    entries = {f"/{webhook}": _Entry(webhook, engine, report, max_body_bytes) for webhook in ENTRIES}
    return DirectApp("resourceclass", entries)


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

    def __call__(self, environ: Environ) -> Reply:
        """Answer one review. Raises nothing."""
        try:
            with self._report.working():
                return self._answered(environ)
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
            return text_reply(500, "the webhook failed; its log says why")

    def _answered(self, environ: Environ) -> Reply:
        begun = environ.get(RECEIVED) or monotonic()
        if environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower() != "application/json":
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
        return json_reply(body)

    def _failed(self, code: int, reason: str, message: str) -> Reply:
        self._report.failed(self._webhook, code, reason, message)
        return text_reply(code, message, (("Retry-After", RETRY_AFTER_SECONDS),) if code == 503 else ())


def _before(due: Deadline) -> Callable[[], None]:
    def in_time() -> None:
        if due.expired():
            raise ClusterUnavailable("no time is left to read the cluster's state before the caller gives up")

    return in_time
