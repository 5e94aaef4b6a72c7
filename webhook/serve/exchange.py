"""From the bytes of a request to the bytes of its answer, with gunicorn's HTTP parser and WSGI writer.

The parser sees one whole head at a time and the application a body that is already here, so neither can wait.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from gunicorn.http import errors, wsgi
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader

from webhook.serve.limits import IN_FLIGHT, OVERLOADED, RECEIVED, Refused

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from webhook.serve.connection import Connection

_STATUS = {
    errors.LimitRequestLine: 414,
    errors.LimitRequestHeaders: 431,
    errors.ExpectationFailed: 417,
    errors.UnsupportedTransferCoding: 501,
    errors.InvalidHTTPVersion: 505,
}


def parse_head(cfg: Any, head: bytes, client: Any, number: int) -> Any:
    """The request whose head these bytes are.

    Raises:
        Refused: they are no head of an HTTP/1.1 request that we take.
    """
    try:
        return Request(cfg, IterUnreader([head]), client, number)
    except (errors.ParseException, errors.NoMoreData, StopIteration) as error:
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
        raise Refused(
            (status, "malformed"), f"not a request that is understood: {type(error).__name__}"
        ) from error


def refusal(refused: Refused) -> bytes:
    """The whole answer to a request that is not served; the connection closes after it."""
    retry = ["Retry-After: 1"] if refused.status == OVERLOADED[0] else []
    return _plain(refused.status, refused.message, retry)


def internal_error() -> bytes:
    """The whole answer after a fault of ours: it says nothing about us."""
    return _plain(500, "internal error; the log has the details", [])


def respond(
    app: WSGIApplication, conn: Connection, cfg: Any, *, in_flight: int, close: bool
) -> tuple[bytes, bool]:
    """Run the application; the bytes of its answer, and whether the connection may stay open."""
    outbox = _Outbox()
    response, environ = wsgi.create(conn.head, outbox, conn.client, conn.server, cfg)
    environ["wsgi.input"] = io.BytesIO(conn.body)
    environ["wsgi.multithread"] = True
    environ["wsgi.url_scheme"] = "https" if conn.tls else "http"
    environ[RECEIVED] = conn.received
    environ[IN_FLIGHT] = in_flight
    if close:
        response.force_close()
    _write(app(environ, response.start_response), response)
    return bytes(outbox.data), not response.should_close()


def _write(parts: Iterable[bytes], response: Any) -> None:
    try:
        for part in parts:
            response.write(part)
        response.close()
    finally:
        close = getattr(parts, "close", None)
        if close:
            close()


class _Outbox:
    """Stands for the socket in gunicorn's writer, so that head and body leave in one piece."""

    def __init__(self) -> None:
        self.data = bytearray()

    def sendall(self, data: bytes) -> None:
        self.data += data


def _plain(status: int, message: str, headers: list[str]) -> bytes:
    body = (message + "\n").encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
