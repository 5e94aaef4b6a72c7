"""One address before several replicas."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.harness.processes import free_port
from tests.harness.proxy import Proxy

SECONDS = 5.0


@contextmanager
def greeter(word: bytes) -> Iterator[int]:
    """A server that says its word to each caller, echoes what comes, and ends the connection when the caller
    does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_greet, args=(server, word))
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join(SECONDS)


def _greet(server: socket.socket, word: bytes) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(word)
            while data := connection.recv(100):
                connection.sendall(data)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    started = Proxy()
    started.start()
    yield started
    started.stop()


def call(proxy: Proxy, say: bytes = b"") -> bytes:
    with socket.create_connection(("127.0.0.1", proxy.port), SECONDS) as connection:
        heard = connection.recv(100)
        if say:
            connection.sendall(say)
            heard += connection.recv(100)
        return heard


def test_replicas_get_connections_in_turn(proxy: Proxy) -> None:
    with ExitStack() as stack:
        proxy.send_to([stack.enter_context(greeter(word)) for word in (b"one", b"two")])

        assert [call(proxy) for _ in range(4)] == [b"one", b"two", b"one", b"two"]


def test_bytes_pass_both_ways(proxy: Proxy) -> None:
    with greeter(b"hello ") as port:
        proxy.send_to([port])

        assert call(proxy, b"echo") == b"hello echo"


def test_a_replica_that_is_gone_is_passed_over(proxy: Proxy) -> None:
    with greeter(b"here") as port:
        proxy.send_to([free_port(), port])

        assert [call(proxy) for _ in range(3)] == [b"here"] * 3


def test_without_replicas_a_connection_is_closed(proxy: Proxy) -> None:
    assert call(proxy) == b""
