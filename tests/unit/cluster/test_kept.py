"""Requests over kept connections: when one is used again, and when a request is sent a second time."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from certs.issue import issue_ca, issue_leaf
from tests.unit.cluster.scripted import Clock
from tests.unit.cluster.small_server import Connect, Handler, hang, reply, serving, write_kubeconfig
from webhook.cluster.configuration import load_access
from webhook.cluster.connection import RELOAD_SECONDS, Connection
from webhook.cluster.kept import KeptConnections
from webhook.core.errors import ClusterUnavailable


def test_a_server_that_closes_after_each_answer_is_dialled_each_time(connect: Connect) -> None:
    def closing(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"{}")

    with connect(closing) as (server, connection):
        assert [connection.get("/a"), connection.get("/b")] == [{}, {}]
        assert len({seen.connection for seen in server.seen}) == 2


def test_an_answer_that_breaks_off_is_not_asked_for_again(connect: Connect) -> None:
    def broken(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "9")
        handler.end_headers()
        handler.wfile.write(b"{")
        handler.close_connection = True

    def second_is_broken(handler: Handler) -> None:
        (broken if len(handler.server.seen) == 2 else reply({}))(handler)

    with connect(second_is_broken) as (server, connection):
        connection.get("/a")
        with pytest.raises(ClusterUnavailable, match="closed before the end"):
            connection.get("/b")
        assert len(server.seen) == 2


def test_a_new_connection_that_is_dropped_is_not_dialled_for_ever(connect: Connect) -> None:
    def dropped(handler: Handler) -> None:
        handler.connection.shutdown(socket.SHUT_RDWR)
        handler.close_connection = True

    with connect(dropped) as (server, connection):
        with pytest.raises(ClusterUnavailable, match="GET /a: the connection was closed"):
            connection.get("/a")
        assert len(server.seen) == 1


def test_a_kept_connection_that_hangs_is_not_tried_again(connect: Connect) -> None:
    def second_hangs(handler: Handler) -> None:
        (hang if len(handler.server.seen) == 2 else reply({}))(handler)

    with connect(second_hangs) as (server, connection):
        connection.get("/a")
        with pytest.raises(ClusterUnavailable, match="timed out"):
            connection.get("/b", seconds=0.1)
        assert len(server.seen) == 2


def test_a_second_attempt_has_what_the_first_has_left_of_the_time(connect: Connect, clock: Clock) -> None:
    def dropped_late(handler: Handler) -> None:
        if len(handler.server.seen) > 2:
            return hang(handler)
        if len(handler.server.seen) == 1:
            return handler.send_json({})
        clock.now += 300  # beyond the timeout of a test
        return handler.connection.shutdown(socket.SHUT_RDWR)

    with connect(dropped_late) as (_, connection):
        connection.get("/a", seconds=300)
        with pytest.raises(ClusterUnavailable, match="timed out"):
            connection.send("POST", "/binding", {}, seconds=300)


def test_what_is_written_and_read_shares_its_connections(connect: Connect) -> None:
    with connect(reply({})) as (server, connection):
        connection.get("/a")
        connection.send("POST", "/b", {"text": "ü"})
        connection.send("DELETE", "/c", {})
        connection.get("/d")
        assert len({seen.connection for seen in server.seen}) == 1
        assert [seen.body for seen in server.seen] == [b"", '{"text":"ü"}'.encode(), b"{}", b""]


def test_a_write_whose_kept_connection_was_closed_is_sent_again(connect: Connect) -> None:
    def second_is_dropped(handler: Handler) -> None:
        if len(handler.server.seen) == 2:
            handler.connection.shutdown(socket.SHUT_RDWR)
        else:
            handler.send_json({})

    with connect(second_is_dropped) as (server, connection):
        connection.get("/a")
        connection.send("POST", "/binding", {})
        assert [seen.method for seen in server.seen] == ["GET", "POST", "POST"]


def test_a_server_below_a_path_is_asked_below_it(tmp_path: Path) -> None:
    with serving(reply({})) as server:
        connection = Connection(write_kubeconfig(tmp_path, f"{server.url}/k8s/clusters/c-1/"))
        connection.get("/version", {"limit": 1})
        connection.close()
    assert server.seen[0].path == "/k8s/clusters/c-1/version?limit=1"
    assert server.seen[0].headers["Host"] == f"127.0.0.1:{server.server_address[1]}"


def test_a_token_with_a_line_break_is_not_sent(connect: Connect) -> None:
    with connect(reply({}), {"token": "abc\r\nX-Evil: 1"}) as (server, connection):
        with pytest.raises(ClusterUnavailable, match="a line break in"):
            connection.get("/version")
        assert not server.seen


def test_a_connection_in_use_when_all_are_closed_is_closed_after_its_answer(connect: Connect) -> None:
    closed: list[KeptConnections] = []

    def close_meanwhile(handler: Handler) -> None:
        for each in closed:
            each.close()
        handler.send_json({})

    with connect(close_meanwhile) as (server, connection):
        kept = connection._access.kept
        assert kept is not None
        closed.append(kept)
        for _ in range(2):
            assert connection.get("/version") == {}
        assert len({seen.connection for seen in server.seen}) == 2


def test_a_proxy_is_asked_for_what_is_read(tmp_path: Path) -> None:
    with serving(reply({"by": "proxy"})) as proxy:
        path = write_kubeconfig(tmp_path, "http://api.example.com", **{"proxy-url": proxy.url})
        assert load_access(path).kept is None
        connection = Connection(path)
        assert connection.get("/version") == {"by": "proxy"}
        connection.close()
    assert proxy.seen[0].path == "http://api.example.com/version"


def test_a_server_is_known_by_its_authority_which_is_read_again_when_it_is_another(
    tmp_path: Path, clock: Clock
) -> None:
    now, day = datetime.now(UTC), timedelta(days=1)
    old, new = (issue_ca(name, now, day) for name in ("old", "new"))
    leaf = issue_leaf(new, ["localhost"], now, day / 2)
    for name, data in (("ca.crt", old.cert), ("tls.crt", leaf.cert), ("tls.key", leaf.key)):
        (tmp_path / name).write_bytes(data)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "tls.crt", tmp_path / "tls.key")
    long = {"words": "x" * 100_000}  # more than one record of TLS
    with serving(reply(long)) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        url = f"https://localhost:{server.server_address[1]}"
        trusting = {"certificate-authority": str(tmp_path / "ca.crt")}
        connection = Connection(write_kubeconfig(tmp_path, url, **trusting), clock)
        with pytest.raises(ClusterUnavailable, match="certificate verify failed"):
            connection.get("/version")
        (tmp_path / "ca.crt").write_bytes(new.cert)
        clock.now += RELOAD_SECONDS
        assert [connection.get("/version"), connection.get("/version")] == [long, long]
        connection.close()
