"""A small HTTP server in the place of an API server, for what only real sockets show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Protocol

from webhook.cluster.connection import Connection

Json = dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    """One request: answers with what the test's function does with it."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append(Seen(self.path, self.headers, self.client_address[1], self.command, body))
        self.server.answer(self)

    def do_POST(self) -> None:
        self.do_GET()

    def do_PUT(self) -> None:
        self.do_GET()

    def do_PATCH(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def send_json(self, body: Any, code: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_chunks(self, *chunks: bytes, end: bool = True) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in (*chunks, *([b""] if end else [])):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Seen:
    path: str
    headers: Message
    connection: int
    """The port of the client: the same for requests over one kept connection."""
    method: str
    body: bytes


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Callable[[Handler], None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.seen: list[Seen] = []
        self.ending = Event()
        """Set when the test is over: what a handler that must hang waits for."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(answer: Callable[[Handler], None]) -> Iterator[Server]:
    server = Server(answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write_kubeconfig(folder: Path, server: str, user: Json | None = None, **of_cluster: str) -> str:
    """Write a kubeconfig of one cluster and one user, in JSON, which is YAML."""
    path = folder / "kubeconfig"
    cluster = {"server": server, **of_cluster}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": user or {}}],
    }
    path.write_text(json.dumps(config))
    return str(path)


class Connect(Protocol):
    """The fixture: a server that answers so, and a connection to it as the user of a kubeconfig."""

    def __call__(
        self, answer: Callable[[Handler], None], user: dict[str, Any] | None = None
    ) -> AbstractContextManager[tuple[Server, Connection]]: ...


def reply(body: Any, code: int = 200) -> Callable[[Handler], None]:
    return lambda handler: handler.send_json(body, code)


def chunks(*parts: bytes) -> Callable[[Handler], None]:
    return lambda handler: handler.send_chunks(*parts)


def status(code: int, message: str) -> Callable[[Handler], None]:
    return reply({"kind": "Status", "code": code, "message": message}, code)


def hang(handler: Handler) -> None:
    handler.server.ending.wait()
    handler.close_connection = True
