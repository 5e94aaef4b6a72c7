"""The HTTP edge of the webhook."""

import contextlib
from dataclasses import dataclass, field

import orjson
import pytest

from webhook.admission.app import create_app
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.core.outcome import Fault, Outcome, Reason

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train"}}
CHANGED = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train", "labels": {"a": "b"}}}


@dataclass
class Scripted:
    """An engine that answers as it is told, and remembers what it was asked."""

    outcome: Outcome | Exception
    asked: list[tuple[str, bool, bool]] = field(default_factory=list)
    reads: bool = False

    def mutate(self, request, *, isolated, adopting, in_time):
        return self._answer("mutate", isolated, adopting, in_time)

    def validate(self, request, *, isolated, adopting, in_time):
        return self._answer("validate", isolated, adopting, in_time)

    def _answer(self, call, isolated, adopting, in_time):
        self.asked.append((call, isolated, adopting))
        if self.reads:
            in_time()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@dataclass
class Noted:
    """A report that only remembers."""

    decisions: list = field(default_factory=list)
    failures: list = field(default_factory=list)
    faults: list = field(default_factory=list)

    def working(self):
        return contextlib.nullcontext()

    def decided(self, decision):
        self.decisions.append(decision)

    def failed(self, webhook, code, reason, message):
        self.failures.append((webhook, code, reason, message))

    def broke(self, webhook, error):
        self.faults.append((webhook, error))


def review():
    request = {"uid": "u-1", "operation": "CREATE", "kind": {"group": "", "version": "v1", "kind": "Pod"}}
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": request | {"object": POD},
    }


@pytest.fixture
def report():
    return Noted()


def post(report, path="/mutate", *, engine=None, body=None, content_type="application/json", **options):
    app = create_app(engine or Scripted(Outcome(object=CHANGED)), report, **options)
    data = orjson.dumps(review()) if body is None else body
    return app.test_client().post(path, data=data, content_type=content_type)


def test_a_review_is_answered_with_200_and_a_verdict(report):
    answer = post(report)
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert answer.json["response"]["uid"] == "u-1"


def test_a_refusal_is_a_200_as_well(report):
    engine = Scripted(Outcome(object=POD, faults=(Fault(Reason.NODE_NAME, "no"),)))
    answer = post(report, engine=engine)
    assert answer.status_code == 200
    assert answer.json["response"]["status"]["code"] == 403


def test_a_mutating_call_may_carry_a_patch(report):
    assert "patch" in post(report, "/mutate").json["response"]


def test_a_validating_call_carries_none(report):
    assert "patch" not in post(report, "/validate").json["response"]


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/mutate", ("mutate", False, False)),
        ("/validate", ("validate", False, False)),
        ("/mutate/isolate", ("mutate", True, False)),
        ("/mutate/adopt", ("mutate", False, True)),
        ("/validate/isolate", ("validate", True, False)),
        ("/validate/adopt", ("validate", False, True)),
    ],
)
def test_each_path_asks_its_question(report, path, asked):
    engine = Scripted(Outcome(object=POD))
    post(report, path, engine=engine)
    assert engine.asked == [asked]


def test_a_timeout_in_the_query_is_part_of_no_path(report):
    assert post(report, "/mutate?timeout=3s").status_code == 200


def test_parameters_of_the_content_type_do_not_matter(report):
    assert post(report, content_type="application/json; charset=utf-8").status_code == 200


def test_another_content_type_is_refused(report):
    answer = post(report, content_type="text/plain")
    assert answer.status_code == 415
    assert "application/json" in answer.text


def test_what_is_no_review_is_refused_by_name(report):
    answer = post(report, body=b"{}")
    assert answer.status_code == 400
    assert "apiVersion" in answer.text


def test_a_refused_call_is_reported(report):
    post(report, body=b"{}")
    ((webhook, code, reason, _),) = report.failures
    assert (webhook, code, reason) == ("mutate", 400, "bad_review")


def test_a_body_beyond_the_cap_is_refused(report):
    answer = post(report, max_body_bytes=10)
    assert answer.status_code == 413
    assert "at most 10 are read" in answer.text


def test_another_method_is_refused_and_told_the_right_one(report):
    app = create_app(Scripted(Outcome(object=POD)), report)
    answer = app.test_client().get("/mutate")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_an_unknown_path_is_a_404_in_one_line(report):
    answer = post(report, "/elsewhere")
    assert (answer.status_code, answer.mimetype) == (404, "text/plain")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(NotReady("no list yet"), "not_ready"), (ClusterUnavailable("silent"), "cluster_unavailable")],
)
def test_what_cannot_be_answered_now_may_be_asked_again(report, error, reason):
    answer = post(report, engine=Scripted(error))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert report.failures[0][2] == reason


def test_a_fault_of_ours_is_a_500_that_gives_nothing_away(report):
    answer = post(report, engine=Scripted(KeyError("secret")))
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_a_fault_of_ours_is_reported_with_its_cause(report):
    error = KeyError("x")
    post(report, "/validate", engine=Scripted(error))
    assert report.faults == [("validate", error)]


def test_a_verdict_is_reported_with_its_time(report):
    post(report)
    (decision,) = report.decisions
    assert decision.webhook == "mutate"
    assert 0 <= decision.seconds < 5


def test_after_the_callers_time_nothing_more_is_read(report):
    engine = Scripted(Outcome(object=POD), reads=True)
    answer = post(report, "/mutate?timeout=1ms", engine=engine)
    assert answer.status_code == 503


def test_within_the_callers_time_reads_are_made(report):
    engine = Scripted(Outcome(object=POD), reads=True)
    assert post(report, "/mutate?timeout=10s", engine=engine).status_code == 200
