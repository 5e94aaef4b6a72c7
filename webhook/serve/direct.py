"""A Flask application whose POST paths are answered beside Flask.

Their callers need neither routing nor a request context nor a response with headers to be added to: without
them a call is spared some 60 us. Flask goes on answering unknown paths and wrong methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, NamedTuple

import flask
from werkzeug.exceptions import HTTPException

from webhook.serve.limits import Environ

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

Headers = tuple[tuple[str, str], ...]

_JSON: Final = (("Content-Type", "application/json"),)
_TEXT: Final = "text/plain; charset=utf-8"


class Reply(NamedTuple):
    """What a call is answered with; the length of the body is added to the headers."""

    status: str
    headers: Headers
    body: bytes


def json_reply(body: bytes) -> Reply:
    """Return an answer with a document."""
    return Reply("200 OK", _JSON, body)


def text_reply(code: int, message: str, headers: Headers = ()) -> Reply:
    """Return an answer with one line of text."""
    body = f"{message}\n".encode("utf-8", "backslashreplace")
    return Reply(f"{code} {HTTPStatus(code).phrase}", (("Content-Type", _TEXT), *headers), body)


class DirectApp(flask.Flask):
    """The application. `entries` are its paths, each with what answers a call there and raises nothing."""

    def __init__(self, name: str, entries: Mapping[str, Callable[[Environ], Reply]]) -> None:
        super().__init__(name, static_folder=None)
        self._entries = entries
        for path in entries:  # so that Flask knows which method is right here
            self.add_url_rule(path, path, methods=["POST"], provide_automatic_options=False)
        self.register_error_handler(HTTPException, _in_one_line)

    def wsgi_app(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a call of an entry; leave everything else to Flask."""
        entry = self._entries.get(environ["PATH_INFO"])
        if entry is None or environ["REQUEST_METHOD"] != "POST":
            return super().wsgi_app(environ, start_response)
        reply = entry(environ)
        start_response(reply.status, [*reply.headers, ("Content-Length", str(len(reply.body)))])
        return [reply.body]


def _in_one_line(error: HTTPException) -> flask.Response:
    """Answer an unknown path or method; what else Werkzeug says is for browsers."""
    allowed = error.get_response().headers.get("Allow")
    headers = {"Allow": allowed} if allowed else {}
    return flask.Response(f"{error.description}\n", error.code or 500, headers, content_type=_TEXT)
