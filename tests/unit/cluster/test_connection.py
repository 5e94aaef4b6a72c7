"""Requests over real sockets: what is sent, what comes back, and how everything that fails is told."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cluster.scripted import Clock
from tests.unit.cluster.small_server import Connect, Handler, chunks, hang, reply, status, write_kubeconfig
from webhook.cluster.api import STRATEGIC, ApiError
from webhook.cluster.configuration import UNANSWERED_MILLISECONDS
from webhook.cluster.connection import RELOAD_SECONDS, Connection
from webhook.core.errors import ClusterUnavailable


def test_reads_a_document(connect: Connect) -> None:
    with connect(reply({"kind": "PodList", "items": []})) as (_, connection):
        assert connection.get("/api/v1/pods") == {"kind": "PodList", "items": []}


def test_encodes_the_query(connect: Connect) -> None:
    with connect(reply({})) as (server, connection):
        connection.get("/api/v1/pods", {"fieldSelector": "a!=b,c=d", "limit": 500})
        assert server.seen[0].path == "/api/v1/pods?fieldSelector=a%21%3Db%2Cc%3Dd&limit=500"


def test_a_peer_that_vanishes_without_a_word_is_given_up_after_fifteen_seconds(connect: Connect) -> None:
    with connect(reply({})) as (_, connection):
        options = connection._access.pool.connection_pool_kw["socket_options"]
    assert (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 10) in options
    assert (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNANSWERED_MILLISECONDS) in options


def test_sends_the_token(connect: Connect) -> None:
    with connect(reply({}), {"token": "abc"}) as (server, connection):
        connection.get("/version")
        assert server.seen[0].headers["Authorization"] == "Bearer abc"


def test_sends_user_and_password(connect: Connect) -> None:
    with connect(reply({}), {"username": "u", "password": "p"}) as (server, connection):
        connection.get("/version")
        assert server.seen[0].headers["Authorization"] == "Basic dTpw"


def test_a_refusal_carries_its_status_and_the_words_of_the_server(connect: Connect) -> None:
    with connect(status(404, 'namespaces "x" not found')) as (_, connection):
        with pytest.raises(
            ApiError, match='answered 404 to GET /api/v1/namespaces/x: namespaces "x"'
        ) as caught:
            connection.get("/api/v1/namespaces/x")
        assert caught.value.status == 404


@pytest.mark.parametrize("code", [200, 404])
def test_a_connection_is_kept_for_the_next_request(connect: Connect, code: int) -> None:
    with connect(status(code, "said")) as (server, connection):
        for _ in range(2):
            with contextlib.suppress(ApiError):
                connection.get("/api/v1/pods")
        assert len({seen.connection for seen in server.seen}) == 1


def test_a_missing_right_is_explained(connect: Connect) -> None:
    words = "grant the account of this process get, list and watch"
    with connect(status(403, "forbidden")) as (_, connection), pytest.raises(ApiError, match=words):
        connection.get("/api/v1/pods")


@pytest.mark.parametrize(
    ("method", "sent", "content_type"),
    [
        ("POST", "POST", "application/json"),
        ("PUT", "PUT", "application/json"),
        ("DELETE", "DELETE", "application/json"),
        ("PATCH", "PATCH", "application/merge-patch+json"),
        (STRATEGIC, "PATCH", "application/strategic-merge-patch+json"),
    ],
)
def test_sends_a_document(connect: Connect, method: str, sent: str, content_type: str) -> None:
    with connect(reply({"stored": True})) as (server, connection):
        answer = connection.send(method, "/api/v1/nodes/a", {"count": 2}, query={"fieldManager": "m"})
        assert answer == {"stored": True}
    (seen,) = server.seen
    assert (seen.method, seen.headers["Content-Type"], seen.body) == (sent, content_type, b'{"count":2}')
    assert seen.path == "/api/v1/nodes/a?fieldManager=m"


@pytest.mark.parametrize(
    ("method", "verb"), [("POST", "create"), ("PUT", "update"), ("PATCH", "patch"), ("DELETE", "delete")]
)
def test_a_missing_right_to_write_is_explained(connect: Connect, method: str, verb: str) -> None:
    words = f"answered 403 to {method} /x: forbidden; grant the account of this process {verb} on it"
    with connect(status(403, "forbidden")) as (_, connection), pytest.raises(ApiError, match=words):
        connection.send(method, "/x", {})


def test_a_redirect_is_not_followed(connect: Connect) -> None:
    with connect(reply({}, 302)) as (_, connection), pytest.raises(ApiError, match="answered 302"):
        connection.get("/api/v1/pods")


def test_a_server_that_is_away_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        connection = Connection(write_kubeconfig(tmp_path, url))
        with pytest.raises(ClusterUnavailable, match=f"{url} did not answer GET /version: .*refused"):
            connection.get("/version")


def test_a_server_that_does_not_answer_is_given_up(connect: Connect) -> None:
    with connect(hang) as (_, connection), pytest.raises(ClusterUnavailable, match="timed out"):
        connection.get("/version", seconds=0.1)


def test_an_answer_that_trickles_past_the_deadline_is_given_up(connect: Connect, clock: Clock) -> None:
    def trickle(handler: Handler) -> None:
        clock.now += 2
        handler.send_json({"late": True})

    with connect(trickle) as (_, connection), pytest.raises(ClusterUnavailable, match="too slowly"):
        connection.get("/version", seconds=1)


@pytest.mark.parametrize(("body", "words"), [([], "no object"), ("x" * 3, "no object")])
def test_an_answer_that_is_no_object_is_an_error(connect: Connect, body: Any, words: str) -> None:
    with connect(reply(body)) as (_, connection), pytest.raises(ClusterUnavailable, match=words):
        connection.get("/version")


def test_an_answer_that_is_no_json_is_an_error(connect: Connect) -> None:
    answer = chunks(b"<html>")
    with connect(answer) as (_, connection), pytest.raises(ClusterUnavailable, match="GET /version"):
        connection.get("/version")


def test_a_kept_connection_that_the_server_has_closed_is_replaced(connect: Connect) -> None:
    requests = 0

    def second_is_dropped(handler: Handler) -> None:
        nonlocal requests
        requests += 1
        if requests == 2:
            handler.connection.shutdown(socket.SHUT_RDWR)
        else:
            handler.send_json({"request": requests})

    with connect(second_is_dropped) as (_, connection):
        assert [connection.get("/a"), connection.get("/b")] == [{"request": 1}, {"request": 3}]


def test_a_rotated_token_is_read_again_when_the_old_one_is_refused(
    connect: Connect, tmp_path: Path, clock: Clock
) -> None:
    token = tmp_path / "token"
    token.write_text("old")

    def only_new(handler: Handler) -> None:
        known = handler.headers["Authorization"] == "Bearer new"
        handler.send_json({"known": known}, 200 if known else 401)

    with connect(only_new, {"tokenFile": str(token)}) as (_, connection):
        token.write_text("new")
        clock.now += RELOAD_SECONDS
        assert connection.get("/version") == {"known": True}


def test_a_request_is_not_sent_again_once_its_time_is_over(
    connect: Connect, tmp_path: Path, clock: Clock
) -> None:
    token = tmp_path / "token"
    token.write_text("old")

    def slow_to_refuse(handler: Handler) -> None:
        clock.now += 2.0
        handler.send_json({}, 401)

    with connect(slow_to_refuse, {"tokenFile": str(token)}) as (server, connection):
        clock.now += RELOAD_SECONDS
        with pytest.raises(ClusterUnavailable, match="no time was left"):
            connection.send("POST", "/pods/p/binding", {}, seconds=2.0)
        assert len(server.seen) == 1


def test_a_wrong_token_is_not_read_again_at_every_request(connect: Connect, clock: Clock) -> None:
    with connect(status(401, "Unauthorized"), {"token": "wrong"}) as (server, connection):
        clock.now += RELOAD_SECONDS
        for _ in range(3):
            with pytest.raises(ApiError, match="not accepted"):
                connection.get("/version")
        assert len(server.seen) == 4
