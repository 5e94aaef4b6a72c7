"""An address of the API server where a test decides what becomes of requests and of the events of watches.

It ends TLS with the API server's own certificate, so that clients notice nothing, and passes on whole
requests.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from json import dumps, loads
from typing import Any, Self

import httpx

from tests.harness.controlplane import ControlPlane

Json = dict[str, Any]

UPSTREAM_SECONDS = 150.0  # a watch with nothing to say hears a bookmark each minute
PASSED_ON = ("authorization", "content-type", "accept", "user-agent")


@dataclass(frozen=True)
class Request:
    """A request under way. A fault may `send` it, so that it is carried out and its answer lost."""

    client: httpx.Client
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_watch(self) -> bool:
        return "watch=true" in self.path

    def send(self) -> httpx.Response:
        """Asks the API server."""
        return self.client.request(self.method, self.path, content=self.body, headers=self.headers)


Fault = Callable[[Request], int | None]
"""Returns the HTTP status that a request gets in the place of the API server's answer; None lets it pass."""


class FaultyProxy:
    """Passes on everything, but for what `failing` and `holding` say."""

    def __init__(self, plane: ControlPlane) -> None:
        trust = ssl.create_default_context(cafile=str(plane.pki.ca_file))
        limits = httpx.Limits(max_connections=None)
        self.client = httpx.Client(
            base_url=plane.server, verify=trust, timeout=UPSTREAM_SECONDS, limits=limits, trust_env=False
        )
        self._fault: Fault = lambda request: None
        self._held: Callable[[Json], bool] = lambda event: False
        self._released = threading.Event()
        self._server = _Server(self, plane.layout.serving)
        self._thread = threading.Thread(target=self._server.serve_forever, name="faulty-proxy", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.client.close()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_address[1]}"

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        """Answers requests as `fault` says, for the time of the block."""
        self._fault = fault
        try:
            yield
        finally:
            self._fault = lambda request: None

    @contextmanager
    def holding(self, held: Callable[[Json], bool]) -> Iterator[None]:
        """Keeps back the events of watches that `held` names until the block ends; others overtake them."""
        self._released = threading.Event()
        self._held = held
        try:
            yield
        finally:
            self._held = lambda event: False
            self._released.set()

    def serve(self, request: Request, handler: _Handler) -> None:
        """Answers one request."""
        status = self._fault(request)
        if status is not None:
            message = {"kind": "Status", "code": status, "message": "a fault of the test"}
            handler.answer(status, dumps(message).encode())
        elif request.is_watch:
            self._watch(request, handler)
        else:
            response = request.send()
            handler.answer(response.status_code, response.content)

    def _watch(self, request: Request, handler: _Handler) -> None:
        """Copies a watch line by line. A line that is held comes from a thread of its own, when it may."""
        with self.client.stream(request.method, request.path, headers=request.headers) as response:
            if response.status_code != 200:
                handler.answer(response.status_code, response.read())
                return
            handler.begin()
            for line in response.iter_lines():
                if self._held(loads(line)):
                    threading.Thread(target=handler.line, args=(line, self._released), daemon=True).start()
                else:
                    handler.line(line)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: FaultyProxy, pair: tuple[Any, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def handle_error(self, *_: object) -> None:
        """Says nothing: clients come and go."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def parse_request(self) -> bool:
        """Takes any method."""
        self._writing = threading.Lock()
        return super().parse_request()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _serve(self) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
        try:
            proxy.serve(Request(proxy.client, self.command, self.path, headers, body), self)
        except (OSError, httpx.TransportError):
            self.close_connection = True  # the API server is away: so is this address

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> None:
        """Starts an answer that goes on until the connection closes."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def line(self, line: str, when: threading.Event | None = None) -> None:
        """Writes a line of a watch, on request not before something."""
        if when is not None:
            when.wait()
        with suppress(OSError, ValueError), self._writing:
            data = line.encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Says nothing."""
