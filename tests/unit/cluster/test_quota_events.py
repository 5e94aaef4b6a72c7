"""What is written for a series of refusals: an event that is made once and then renewed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from webhook.cluster.api import ApiError
from webhook.cluster.events import QuotaEvents
from webhook.core.errors import ClusterUnavailable
from webhook.core.refusals import Occurrence, Series

Json = dict[str, Any]
TOLD = Occurrence("team-a", "q", "QuotaExceeded", "refused pod train: exceeded quota: q")
SERIES = Series("q.1", TOLD, first=0.0, last=61.9, count=3)
EVENTS = "/api/v1/namespaces/team-a/events"


@dataclass
class Writes:
    """An API server that takes writes, or answers with these errors first."""

    errors: list[Exception | None] = field(default_factory=list)
    sent: list[tuple[str, str, Json]] = field(default_factory=list)

    def send(self, method: str, path: str, document: Json, seconds: float = 30.0) -> Json:
        self.sent.append((method, path, document))
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error
        return document


def write(series: Series, *errors: Exception | None, uid: str = "1-2") -> list[tuple[str, str, Json]]:
    api = Writes(list(errors))
    QuotaEvents(api, lambda namespace, name: uid).write(series)  # type: ignore[arg-type]
    return api.sent


def test_the_first_write_makes_an_event_about_the_quota() -> None:
    ((method, path, event),) = write(SERIES)
    assert (method, path) == ("POST", EVENTS)
    assert event["metadata"] == {"namespace": "team-a", "name": "q.1"}
    assert event["involvedObject"] == {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "namespace": "team-a",
        "name": "q",
        "uid": "1-2",
    }
    assert (event["type"], event["reason"], event["message"]) == ("Warning", TOLD.reason, TOLD.message)
    assert (event["count"], event["firstTimestamp"], event["lastTimestamp"]) == (
        3,
        "1970-01-01T00:00:00Z",
        "1970-01-01T00:01:01Z",
    )


def test_a_quota_that_is_not_known_yet_is_named_without_a_uid() -> None:
    ((_, _, event),) = write(SERIES, uid="")
    assert "uid" not in event["involvedObject"]


def test_a_further_write_renews_count_time_and_text() -> None:
    assert write(replace(SERIES, written=1)) == [
        (
            "PATCH",
            f"{EVENTS}/q.1",
            {"count": 3, "lastTimestamp": "1970-01-01T00:01:01Z", "message": TOLD.message},
        )
    ]


def test_a_strange_namespace_cannot_change_the_path() -> None:
    strange = replace(SERIES, latest=replace(TOLD, namespace="../x?y=/z"))
    ((_, path, _),) = write(strange)
    assert path == "/api/v1/namespaces/..%2Fx%3Fy%3D%2Fz/events"


def test_an_event_that_the_api_server_has_forgotten_is_made_again() -> None:
    assert [method for method, _, _ in write(replace(SERIES, written=1), ApiError("no", 404))] == [
        "PATCH",
        "POST",
    ]


def test_an_event_that_is_there_already_was_written_by_an_earlier_attempt() -> None:
    assert [method for method, _, _ in write(SERIES, ApiError("already exists", 409))] == ["POST"]


@pytest.mark.parametrize("error", [ApiError("forbidden", 403), ClusterUnavailable("refused")])
@pytest.mark.parametrize("written", [0, 1])
def test_other_failures_are_raised(error: Exception, written: int) -> None:
    with pytest.raises(ClusterUnavailable):
        write(replace(SERIES, written=written), error)


@pytest.mark.parametrize(
    "error",
    [
        ApiError("unable to create new content in namespace team-a because it is being terminated", 403),
        ApiError('namespaces "team-a" not found', 404),
    ],
)
def test_a_namespace_that_ends_has_nobody_to_be_told(error: ApiError) -> None:
    api = Writes([error])
    assert not QuotaEvents(api, lambda *_: "").write(SERIES)  # type: ignore[arg-type]


def test_a_right_that_is_missing_is_a_failure() -> None:
    with pytest.raises(ClusterUnavailable):
        write(SERIES, ApiError("events is forbidden: User cannot create resource", 403))
