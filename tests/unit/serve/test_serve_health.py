import socket
import threading
import time

import pytest

from webhook.serve import health
from webhook.serve.health import Answer, HealthPort


def failing() -> Answer:
    raise RuntimeError("a secret")


@pytest.fixture
def port():
    """A health port and the address of it."""
    handlers = {
        "/livez": lambda: Answer(200, b"ok\n"),
        "/readyz": lambda: Answer(503, b"certificate\n"),
        "/large": lambda: Answer(200, b"x" * 10_000_000),
        "/fails": failing,
    }
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    port = HealthPort(listener, handlers)
    port.address = address
    yield port
    port.close()


def ask(port: HealthPort, request: bytes, until=lambda data: False) -> bytes:
    """Send a request and turn the loop until the stream ends."""
    received = b""
    with socket.create_connection(port.address, timeout=5) as sock:
        sock.sendall(request)
        sock.setblocking(False)
        for _ in range(10_000):
            port.serve(0.001)
            try:
                part = sock.recv(1_000_000)
            except BlockingIOError:
                continue
            if not part:
                return received
            received += part
    raise AssertionError("the stream does not end")


@pytest.mark.parametrize(
    ("request_bytes", "start", "end"),
    [
        (b"GET /livez HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"\r\n\r\nok\n"),
        (b"GET /livez?verbose HTTP/1.1\r\nHost: x\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"\r\n\r\nok\n"),
        (b"HEAD /livez HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\n", b"\r\n\r\n"),
        (b"GET /readyz HTTP/1.1\r\n\r\n", b"HTTP/1.1 503 ", b"certificate\n"),
        (b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 404 ", b"not here; try /fails, /large, /livez, /readyz\n"),
        (b"POST /livez HTTP/1.1\r\n\r\n", b"HTTP/1.1 405 ", b"GET or HEAD\n"),
        (b"\xff\r\n\r\n", b"HTTP/1.1 404 ", b"\n"),
    ],
)
def test_a_path_is_answered(port, request_bytes, start, end):
    answer = ask(port, request_bytes)
    assert answer.startswith(start)
    assert answer.endswith(end)


def test_a_failing_check_is_a_500_that_tells_nothing(port, caplog):
    answer = ask(port, b"GET /fails HTTP/1.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"a secret" not in answer
    assert "/fails failed" in caplog.text


def test_an_answer_larger_than_the_network_takes_arrives_whole(port):
    assert ask(port, b"GET /large HTTP/1.1\r\n\r\n").endswith(b"\r\n\r\n" + b"x" * 10_000_000)


def test_a_request_without_end_is_cut_off(port):
    assert ask(port, b"GET /" + b"x" * 10_000) == b""


def test_a_client_that_says_nothing_is_dropped_when_its_time_is_over(port):
    with socket.create_connection(port.address) as sock:
        port.serve(0.05)
        (client,) = port._clients.values()
        client.deadline = time.monotonic()
        port.serve(0.0)
        sock.settimeout(5)
        assert sock.recv(10) == b""


def test_too_many_clients_cost_the_one_that_has_waited_longest(port):
    socks = [socket.create_connection(port.address, timeout=5) for _ in range(health.MAX_CLIENTS + 1)]
    while len(port._clients) < health.MAX_CLIENTS or port._poller.select(0):
        port.serve(0.0)
    assert socks[0].recv(10) == b""
    socks[-1].sendall(b"GET /livez HTTP/1.1\r\n\r\n")
    port.serve(0.05)
    assert socks[-1].recv(100).startswith(b"HTTP/1.1 200 ")
    for sock in socks:
        sock.close()


def test_the_wait_ends_when_somebody_wakes_it(port):
    began = time.monotonic()
    waker = threading.Timer(0.01, lambda: port.wake_writer.send(b"x"))
    waker.start()
    port.serve(30)
    waker.join()
    assert time.monotonic() - began < 10


def test_one_wake_ends_one_wait(port):
    port.wake_writer.send(b"x")
    port.serve(30)
    began = time.monotonic()
    port.serve(0.05)
    assert time.monotonic() - began >= 0.05
