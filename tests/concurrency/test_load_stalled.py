"""Clients that stop half way."""

import time
from contextlib import ExitStack

from tests.concurrency.serving import Callers

HALF_HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf"


def _serve_beside(server, stalled):
    """Serve callers while the sockets in ``stalled`` are open."""
    with stalled, Callers(server, 8) as load:
        time.sleep(1)
    assert set(load.results) == {"200"}
    assert load.slowest_seconds < 1.0


def test_half_a_handshake_stops_nobody_else(shared_server):
    with ExitStack() as stalled:
        for _ in range(12):
            stalled.enter_context(shared_server.plain()).sendall(b"\x16")
        _serve_beside(shared_server, stalled.pop_all())


def test_half_a_head_stops_nobody_else(shared_server):
    with ExitStack() as stalled:
        for _ in range(12):
            stalled.enter_context(shared_server.connect()).sendall(HALF_HEAD)
        _serve_beside(shared_server, stalled.pop_all())


def test_half_a_body_stops_nobody_else(shared_server):
    with ExitStack() as stalled:
        for _ in range(12):
            stalled.enter_context(shared_server.connect()).sendall(HALF_BODY)
        _serve_beside(shared_server, stalled.pop_all())


def test_a_head_that_never_ends_is_given_up(shared_server):
    with shared_server.connect() as sock:
        sock.settimeout(8)
        sock.sendall(HALF_HEAD)
        began = time.monotonic()
        assert sock.recv(100) == b""
    assert 4.5 < time.monotonic() - began < 6.5


def test_an_answer_that_nobody_reads_stops_nobody_else(shared_server):
    request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    with ExitStack() as stalled:
        for _ in range(4):
            sock = stalled.enter_context(shared_server.connect())
            sock.settimeout(0.2)
            try:
                while True:
                    sock.sendall(request * 1000)
            except TimeoutError:
                pass
        _serve_beside(shared_server, stalled.pop_all())


def test_clients_that_vanish_leave_no_trace_in_the_log(start):
    server = start(workers=1).wait_ready()
    for said in (b"", b"\x16", b"GET / HTTP/1.1\r\n\r\n"):
        with server.plain() as sock:
            sock.sendall(said)
    for said in (b"", HALF_HEAD, HALF_BODY):
        with server.connect() as sock:
            sock.sendall(said)
    assert server.post()[0] == 200
    server.stop()
    assert server.problems() == []
