"""More callers than threads, and connections that only wait."""

import time
from contextlib import ExitStack, closing

from tests.concurrency.serving import Callers, call


def test_parked_connections_hold_no_thread(start):
    server = start(workers=1, threads=8).wait_ready()
    with ExitStack() as parked:
        for _ in range(64):
            parked.enter_context(server.connect())
        with Callers(server, 64) as load:
            time.sleep(1.5)
    assert set(load.results) == {"200"}
    assert load.results["200"] > 64
    assert load.slowest_seconds < 1.0


def test_a_parked_connection_is_served_when_it_speaks(shared_server):
    with ExitStack() as parked:
        clients = [parked.enter_context(closing(shared_server.client())) for _ in range(8)]
        for client in clients:
            client.connect()
        assert [call(client)[0] for client in clients] == [200] * 8


def test_an_answer_leaves_its_connection_open(shared_server):
    with closing(shared_server.client()) as client:
        call(client)
        used = client.sock
        call(client)
        assert client.sock is used


def test_requests_sent_together_are_answered_in_turn(shared_server):
    request = b"POST /%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
    with shared_server.connect() as sock:
        sock.sendall(b"".join(request % (size, size, b"x" * size) for size in (1, 2, 3)))
        received = b""
        while received.count(b'"length"') < 3:
            received += sock.recv(65536)
    assert [received.index(b'"length": %d' % size) for size in (1, 2, 3)] == sorted(
        received.index(b'"length": %d' % size) for size in (1, 2, 3)
    )


def test_what_waits_too_long_for_a_thread_is_told_to_come_again(start):
    server = start(workers=1, threads=1, max_wait_seconds=0.2).wait_ready()
    with Callers(server, 4, "/slow/0.4") as load:
        time.sleep(1.5)
    assert load.results["503"] > 0
    assert load.results["200"] > 0
    assert set(load.results) == {"200", "503"}
    assert server.metric('http_refused_total{code="503",reason="overloaded"}') == load.results["503"]
