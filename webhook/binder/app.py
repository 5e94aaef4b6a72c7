"""The extender's HTTP edge: four verbs that kube-scheduler posts to, on loopback.

The scheduler shows the text of an error only where it comes as the answer of a filter or a bind; of any
other status than 200 it shows the number. So these two always answer 200. Prioritize and preempt have no room
for an error: 503 where nothing can be said now, after which the scheduler goes on without scores, and without
preemption.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final

from webhook.binder.binding import Binder
from webhook.binder.books import Books
from webhook.binder.filtering import Undecided, filter_nodes, prioritize_nodes
from webhook.binder.ports import Guard
from webhook.binder.preempting import preempt
from webhook.binder.report import Report
from webhook.binder.reserving import BindRefused
from webhook.core.errors import BadReview, ClusterUnavailable, NotReady
from webhook.serve.direct import DirectApp, Reply, json_reply, text_reply
from webhook.serve.limits import MAX_BODY_BYTES, RECEIVED, Environ, Refused, read_body
from webhook.wire import extender

VERBS: Final = ("filter", "prioritize", "preempt", "bind")
_WITH_ERROR: Final = frozenset({"filter", "bind"})


class Verbs:
    """The four verbs: bytes in, bytes out."""

    def __init__(self, books: Books, binder: Binder) -> None:
        self._books = books
        self._binder = binder

    def filter(self, body: bytes) -> tuple[bytes, str]:
        """Return which nodes can serve a pod, and the word for the metric."""
        asked = extender.read_pod_question(body)
        found = filter_nodes(self._books, asked.pod, asked.node_names)
        return extender.filter_answer(found.passing, found.refused), "passed" if found.passing else "refused"

    def prioritize(self, body: bytes) -> tuple[bytes, str]:
        """Return how well nodes suit a pod."""
        asked = extender.read_pod_question(body)
        return extender.prioritize_answer(
            prioritize_nodes(self._books, asked.pod, asked.node_names)
        ), "answered"

    def preempt(self, body: bytes) -> tuple[bytes, str]:
        """Return whom to evict for a pod."""
        asked = extender.read_preempt_question(body)
        found = preempt(self._books, asked.pod, asked.proposals)
        return extender.preempt_answer(found), "answered" if found else "refused"

    def bind(self, body: bytes) -> tuple[bytes, str]:
        """Bind a pod."""
        return extender.error_answer(""), self._binder.bind(extender.read_bind_question(body))


def create_app(
    verbs: Verbs,
    guard: Guard,
    not_synced: Callable[[], list[str]],
    report: Report,
    *,
    max_body_bytes: int = MAX_BODY_BYTES,
) -> DirectApp:
    """Return the application: /filter, /prioritize, /preempt and /bind."""

    def may_answer() -> None:
        missing = not_synced()
        if missing:
            raise NotReady(f"not synced yet: {'; '.join(missing)}")
        guard.check()

    entries = {
        f"/{verb}": _Entry(verb, getattr(verbs, verb), may_answer, report, max_body_bytes) for verb in VERBS
    }
    return DirectApp("resourceclass-binder", entries)


class _Entry:
    """One verb."""

    def __init__(
        self,
        verb: str,
        answer: Callable[[bytes], tuple[bytes, str]],
        may_answer: Callable[[], None],
        report: Report,
        max_body_bytes: int,
    ) -> None:
        self._verb = verb
        self._answer = answer
        self._may_answer = may_answer
        self._report = report
        self._max_body_bytes = max_body_bytes

    def __call__(self, environ: Environ) -> Reply:
        begun = environ.get(RECEIVED) or monotonic()
        try:
            body = read_body(environ, self._max_body_bytes)
            self._may_answer()
            answer, result = self._answer(body)
            reply = json_reply(answer)
        except Refused as error:
            result, reply = error.reason, text_reply(error.status, error.message)
        except BadReview as error:
            result, reply = "bad_request", text_reply(error.code, str(error))
        except BindRefused as error:
            result, reply = error.result, self._failed(str(error))
        except Undecided as error:
            result, reply = "undecided", self._failed(str(error))
        except NotReady as error:
            result, reply = "not_ready", self._failed(str(error))
        except ClusterUnavailable as error:
            result, reply = "cluster_unavailable", self._failed(str(error))
        except Exception as error:  # noqa: BLE001 - the last door: whatever it was, the caller gets an answer
            self._report.broke(self._verb, error)
            result, reply = "internal_error", self._failed("the binder failed; its log says why", 500)
        self._report.answered(self._verb, result, monotonic() - begun)
        return reply

    def _failed(self, message: str, code: int = 503) -> Reply:
        if self._verb in _WITH_ERROR:
            return json_reply(extender.error_answer(f"resourceclass binder: {message}"))
        return text_reply(code, message)
