"""The health port: /livez, /readyz and /metrics over plain HTTP, outside the request threads.

It is served from the main loop of the parent process, by polling, because that process forks: a thread there
could hold a lock at the moment of a fork that the child then waits for for ever, and a helper process would
have to be watched itself. It also makes /livez mean what it says: the loop that replaces dead workers is
turning.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from webhook.serve import metric_files

log = logging.getLogger(__name__)

REQUEST_SECONDS = 2.0
"""For a request to arrive and its answer to leave: the kubelet's probes give up after 1 by default."""
MAX_CLIENTS = 64
"""At once; probes and scrapers are a handful. Beyond, the client that has waited longest is dropped."""
MAX_REQUEST_BYTES = 8 * 1024
READ_BYTES = 4096


@dataclass(frozen=True)
class Answer:
    """What a path has to say."""

    status: int
    body: bytes
    content_type: str = "text/plain; charset=utf-8"


def readiness(missing: list[str]) -> Answer:
    """Say what is missing before a process does its work: nothing, if it is ready."""
    return Answer(503, ("\n".join(missing) + "\n").encode()) if missing else Answer(200, b"ok\n")


def metrics(directory: Path) -> Answer:
    """The metrics of all processes that write to a directory."""
    return Answer(200, metric_files.exposition(directory), metric_files.CONTENT_TYPE)


Handler = Callable[[], Answer]


class _Client:
    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.deadline = time.monotonic() + REQUEST_SECONDS
        self.request = bytearray()
        self.answer: memoryview | None = None


class HealthPort:
    """One listening socket and the few clients of it."""

    def __init__(self, listener: socket.socket, handlers: dict[str, Handler]) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._handlers = handlers
        self._clients: dict[int, _Client] = {}
        self._poller = selectors.DefaultSelector()
        self._poller.register(listener, selectors.EVENT_READ)
        self._wake_reader, self.wake_writer = socket.socketpair()
        for end in (self._wake_reader, self.wake_writer):
            end.setblocking(False)
        self._poller.register(self._wake_reader, selectors.EVENT_READ)

    def serve(self, seconds: float) -> None:
        """Answer requests for so long, or until something is written to ``wake_writer``."""
        until = time.monotonic() + seconds
        while True:
            events = self._poller.select(max(0.0, min(until - time.monotonic(), self._patience())))
            woken = False
            for key, _ in events:
                if key.fileobj is self._wake_reader:
                    woken = True
                    with contextlib.suppress(BlockingIOError):
                        self._wake_reader.recv(READ_BYTES)
                elif key.fileobj is self._listener:
                    self._accept()
                else:
                    self._proceed(self._clients[key.fd])
            self._drop_overdue()
            if woken or time.monotonic() >= until:
                return

    def close(self) -> None:
        """Let go of everything; a forked child calls it too, so that the port closes with the parent."""
        self._poller.close()
        for client in self._clients.values():
            client.sock.close()
        self._clients.clear()
        for sock in (self._listener, self._wake_reader, self.wake_writer):
            sock.close()

    def _patience(self) -> float:
        return REQUEST_SECONDS if self._clients else float("inf")

    def _accept(self) -> None:
        try:
            sock, _ = self._listener.accept()
        except OSError:
            return
        sock.setblocking(False)
        if len(self._clients) >= MAX_CLIENTS:
            self._drop(next(iter(self._clients.values())))
        self._clients[sock.fileno()] = _Client(sock)
        self._poller.register(sock, selectors.EVENT_READ)

    def _proceed(self, client: _Client) -> None:
        try:
            if client.answer is None and not self._read(client):
                return
            if client.answer is not None and self._write(client):
                self._drop(client)
        except BlockingIOError:
            return
        except OSError:
            self._drop(client)

    def _read(self, client: _Client) -> bool:
        data = client.sock.recv(READ_BYTES)
        client.request += data
        if not data or len(client.request) > MAX_REQUEST_BYTES:
            self._drop(client)
            return False
        if b"\r\n\r\n" not in client.request:
            return False
        client.answer = memoryview(self._answer(bytes(client.request.split(b"\r\n", 1)[0])))
        self._poller.modify(client.sock, selectors.EVENT_WRITE)
        return True

    def _write(self, client: _Client) -> bool:
        while client.answer:
            client.answer = client.answer[client.sock.send(client.answer) :]
        with contextlib.suppress(OSError):
            client.sock.shutdown(socket.SHUT_WR)
        return True

    def _answer(self, request_line: bytes) -> bytes:
        method, _, rest = request_line.decode("latin-1").partition(" ")
        path = rest.split(" ")[0].split("?")[0]
        answer = self._look_up(method, path)
        head = (
            f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\n"
            f"Content-Type: {answer.content_type}\r\nContent-Length: {len(answer.body)}\r\n"
            "Connection: close\r\n\r\n"
        )
        return head.encode() + (b"" if method == "HEAD" else answer.body)

    def _look_up(self, method: str, path: str) -> Answer:
        handler = self._handlers.get(path)
        if handler is None:
            return Answer(404, f"not here; try {', '.join(sorted(self._handlers))}\n".encode())
        if method not in ("GET", "HEAD"):
            return Answer(405, b"GET or HEAD\n")
        try:
            return handler()
        except Exception:
            log.exception("%s failed", path)
            return Answer(500, b"internal error; the log has the details\n")

    def _drop_overdue(self) -> None:
        now = time.monotonic()
        for client in [client for client in self._clients.values() if client.deadline <= now]:
            self._drop(client)

    def _drop(self, client: _Client) -> None:
        self._clients.pop(client.sock.fileno(), None)
        with contextlib.suppress(KeyError, ValueError):
            self._poller.unregister(client.sock)
        client.sock.close()
