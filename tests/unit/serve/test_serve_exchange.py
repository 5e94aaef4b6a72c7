import pytest
from gunicorn.config import Config

from webhook.serve.connection import Connection
from webhook.serve.exchange import internal_error, parse_head, refusal, respond
from webhook.serve.limits import BODY_TOO_LARGE, IN_FLIGHT, OVERLOADED, RECEIVED, Refused

CFG = Config()
CLIENT = ("10.0.0.1", 4242)


def connection(
    request: bytes = b"POST /mutate?timeout=3s HTTP/1.1\r\nHost: x\r\n\r\n", body: bytes = b"abc"
) -> Connection:
    conn = Connection(None, CLIENT, ("10.0.0.2", 8443), _Rules(), tls=True)
    conn.head, conn.body, conn.received = parse_head(CFG, request, CLIENT, 1), body, 17.0
    return conn


class _Rules:
    keepalive_seconds = 120


def echo(environ, start_response):
    start_response("200 OK", [("Content-Length", "3")])
    return [environ["wsgi.input"].read()]


def test_the_answer_is_head_and_body_in_one_piece():
    data, keep = respond(echo, connection(), CFG, in_flight=1, close=False)
    assert data.startswith(b"HTTP/1.1 200 OK\r\n")
    assert data.endswith(b"\r\n\r\nabc")
    assert keep


def test_an_answer_may_be_told_to_end_the_connection():
    data, keep = respond(echo, connection(), CFG, in_flight=1, close=True)
    assert b"\r\nConnection: close\r\n" in data
    assert not keep


def test_an_answer_without_length_is_chunked():
    def stream(_environ, start_response):
        start_response("200 OK", [])
        yield b"one"
        yield b"two"

    data, _ = respond(stream, connection(), CFG, in_flight=1, close=False)
    assert data.endswith(b"\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")


def test_the_application_sees_what_the_worker_knows():
    seen = {}

    def look(environ, start_response):
        seen.update(environ)
        start_response("200 OK", [("Content-Length", "0")])
        return []

    respond(look, connection(), CFG, in_flight=5, close=False)
    expected = {
        "PATH_INFO": "/mutate",
        "QUERY_STRING": "timeout=3s",
        "REMOTE_ADDR": "10.0.0.1",
        "wsgi.url_scheme": "https",
        IN_FLIGHT: 5,
        RECEIVED: 17.0,
    }
    assert {name: seen[name] for name in expected} == expected


def test_an_answer_that_breaks_off_is_closed():
    closed = []

    class Parts:
        def __iter__(self):
            raise RuntimeError("broken")

        def close(self):
            closed.append(True)

    def broken(_environ, start_response):
        start_response("200 OK", [])
        return Parts()

    with pytest.raises(RuntimeError, match="broken"):
        respond(broken, connection(), CFG, in_flight=1, close=False)
    assert closed == [True]


def test_a_head_that_is_none_is_refused():
    with pytest.raises(Refused, match="not a request that is understood: InvalidRequestLine"):
        parse_head(CFG, b"nonsense\r\n\r\n", CLIENT, 1)


def test_a_refusal_is_a_whole_answer():
    answer = refusal(Refused(BODY_TOO_LARGE, "too much"))
    assert answer == (
        b"HTTP/1.1 413 Request Entity Too Large\r\nContent-Type: text/plain; charset=utf-8\r\n"
        b"Content-Length: 9\r\nConnection: close\r\n\r\ntoo much\n"
    )


def test_a_refusal_for_lack_of_room_says_when_to_come_again():
    assert b"\r\nRetry-After: 1\r\n" in refusal(Refused(OVERLOADED, "no room"))


def test_an_internal_error_is_a_500():
    assert internal_error().startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
