import io
import time

import pytest

from webhook.serve import limits
from webhook.serve.limits import Deadline, Refused, Shed, deadline, duration_seconds, read_body


def environ(body: bytes = b"", **more) -> dict:
    return {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)), "QUERY_STRING": ""} | more


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3s", 3.0),
        ("10s", 10.0),
        ("1m0s", 60.0),
        ("1m30.5s", 90.5),
        ("500ms", 0.5),
        ("1h", 3600.0),
        ("2µs", 2e-6),
        ("", None),
        ("3", None),
        ("s", None),
        ("-3s", None),
        ("3s ", None),
        ("3 s", None),
        ("٣s", 3.0),
    ],
)
def test_a_duration_of_go_is_read(text, seconds):
    assert duration_seconds(text) == (pytest.approx(seconds) if seconds is not None else None)


@pytest.mark.parametrize(
    ("query", "seconds"),
    [
        ("timeout=3s", 3.0),
        ("a=b&timeout=5s", 5.0),
        ("timeout=1h", 30.0),
        ("timeout=0s", 10.0),
        ("timeout=soon", 10.0),
        ("", 10.0),
    ],
)
def test_the_timeout_is_the_callers_within_bounds(query, seconds):
    assert limits.timeout_seconds({"QUERY_STRING": query}) == seconds


def test_the_deadline_counts_from_the_arrival_and_leaves_time_for_the_way_back():
    arrived = time.monotonic() - 1.0
    due = deadline(environ(QUERY_STRING="timeout=3s", **{limits.RECEIVED: arrived}))
    assert due.at == pytest.approx(arrived + 2.8)


def test_a_deadline_in_the_past_has_nothing_left():
    due = Deadline(time.monotonic() - 5.0)
    assert due.remaining() == 0.0
    assert due.expired()


def test_a_deadline_to_come_has_time_left():
    due = Deadline(time.monotonic() + 5.0)
    assert 4.9 < due.remaining() <= 5.0
    assert not due.expired()


def test_a_body_is_read_whole():
    assert read_body(environ(b"abc")) == b"abc"


def test_a_body_of_exactly_the_limit_is_read():
    assert read_body(environ(b"abc"), limit=3) == b"abc"


@pytest.mark.parametrize(
    ("request_environ", "status"),
    [
        (environ(b"abcd"), 413),
        (environ(b"abc", CONTENT_LENGTH=""), 411),
        (environ(b"abc", CONTENT_LENGTH="-1"), 411),
        (environ(b"a", CONTENT_LENGTH="2"), 400),
    ],
)
def test_a_body_that_cannot_be_read_names_its_status(request_environ, status):
    with pytest.raises(Refused) as refused:
        read_body(request_environ, limit=3)
    assert refused.value.status == status


def test_a_body_beyond_the_limit_is_not_touched():
    request = environ(b"abcd")
    with pytest.raises(Refused, match="the body has 4 bytes; at most 3 are read"):
        read_body(request, limit=3)
    assert request["wsgi.input"].tell() == 0


class Client:
    """Calls a WSGI application and keeps what it said."""

    def __init__(self, max_in_flight: int = 4, max_wait_seconds: float = 1.0) -> None:
        self.refused: list[tuple[int, str]] = []
        self.app = Shed(
            self._served,
            max_in_flight=max_in_flight,
            max_wait_seconds=max_wait_seconds,
            refused=lambda *what: self.refused.append(what),
        )

    def _served(self, _environ, start_response):
        start_response("200 OK", [])
        return [b"served"]

    def call(self, **more) -> tuple[str, dict]:
        answers = []
        list(self.app(environ(**more), lambda status, headers: answers.append((status, dict(headers)))))
        return answers[0]


def test_a_request_that_has_not_waited_is_served():
    assert Client().call(**{limits.RECEIVED: time.monotonic(), limits.IN_FLIGHT: 4})[0] == "200 OK"


def test_a_request_of_another_server_is_served():
    assert Client().call()[0] == "200 OK"


def test_one_request_too_many_is_told_when_to_come_again():
    client = Client()
    status, headers = client.call(**{limits.IN_FLIGHT: 5})
    assert status == "503 Service Unavailable"
    assert headers["Retry-After"] == "1"
    assert client.refused == [(503, "overloaded")]


def test_a_request_that_has_waited_too_long_is_told_to_come_again():
    assert Client().call(**{limits.RECEIVED: time.monotonic() - 1.1})[0] == "503 Service Unavailable"


def test_a_request_may_wait_no_more_than_its_share_of_the_callers_timeout():
    waited = {limits.RECEIVED: time.monotonic() - 0.8}
    assert Client().call(QUERY_STRING="timeout=3s", **waited)[0] == "200 OK"
    assert Client().call(QUERY_STRING="timeout=2s", **waited)[0] == "503 Service Unavailable"


def test_a_wait_of_zero_means_no_limit():
    assert Client(max_wait_seconds=0).call(**{limits.RECEIVED: time.monotonic() - 100})[0] == "200 OK"
