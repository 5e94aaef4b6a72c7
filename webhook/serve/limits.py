"""Bounds on what one request may take: bytes, time, and a place in the queue.

Plain WSGI, so that any application can use it. Under our worker the environ also carries when the request
arrived and how many are in flight; without it (a test client) nothing has waited.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication

Environ = dict[str, Any]

MAX_BODY_BYTES = 7 * 2**20
"""The API server takes objects of at most 3 MiB (its limit on request bodies); a review of an update holds
the old and the new one, and 1 MiB is left for the envelope."""

RECEIVED = "resourceclass.received"
"""environ: time.monotonic() of the first byte of the request, set by the worker."""
IN_FLIGHT = "resourceclass.in_flight"
"""environ: requests of this process that wait or are worked on, this one included, set by the worker."""

DEFAULT_TIMEOUT_SECONDS = 10.0
"""The API server's own timeout of a webhook that sets none; the most it can be set to is 30."""
MAX_TIMEOUT_SECONDS = 30.0
MARGIN_SECONDS = 0.2
"""Kept for the way back, so that a late answer still arrives: many times a round trip within a cluster."""
WAIT_SHARE = 1 / 3
"""Of the caller's timeout, what a request may spend waiting for a thread: then one second of Retry-After and
the second try fit in too."""

OVERLOADED = (503, "overloaded")
BODY_TOO_LARGE = (413, "body_too_large")
LENGTH_REQUIRED = (411, "length_required")
BODY_BROKEN_OFF = (400, "body_broken_off")

_UNIT_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:h|ms|us|µs|ns|m|s))+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)")


class Refused(Exception):
    """A request that is not served; carries the HTTP status, a reason for metrics and a sentence."""

    def __init__(self, kind: tuple[int, str], message: str) -> None:
        super().__init__(message)
        self.status, self.reason = kind
        self.message = message


def duration_seconds(text: str) -> float | None:
    """Seconds of a Go duration such as ``3s`` or ``1m0.5s``; None if it is none."""
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _UNIT_SECONDS[unit] for number, unit in _DURATION_PART.findall(text))


def timeout_seconds(environ: Environ) -> float:
    """How long the caller waits, from ``?timeout=``; absurd and absent values give the default."""
    return _timeout_seconds(environ.get("QUERY_STRING", ""))


@lru_cache(maxsize=16)  # each API server sends the same text with every call
def _timeout_seconds(query: str) -> float:
    asked = parse_qs(query).get("timeout", [""])[0]
    seconds = duration_seconds(asked)
    return min(seconds, MAX_TIMEOUT_SECONDS) if seconds else DEFAULT_TIMEOUT_SECONDS


@dataclass(frozen=True)
class Deadline:
    """A point in time by which an answer has to be on its way."""

    at: float
    """In seconds of time.monotonic()."""

    def remaining(self) -> float:
        """Seconds left, never below zero: usable as a timeout."""
        return max(0.0, self.at - time.monotonic())

    def expired(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self.remaining() <= 0.0


def deadline(environ: Environ) -> Deadline:
    """When the answer to this request is due: arrival + the caller's timeout - a margin for the way back."""
    arrived: float = environ.get(RECEIVED) or time.monotonic()
    return Deadline(arrived + timeout_seconds(environ) - MARGIN_SECONDS)


def read_body(environ: Environ, limit: int = MAX_BODY_BYTES) -> bytes:
    """The whole body.

    Raises:
        Refused: it is longer than ``limit`` (413), its length is not given (411), or it is shorter than given
        (400).
    """
    announced = environ.get("CONTENT_LENGTH") or ""
    if not announced.isdecimal():
        raise Refused(LENGTH_REQUIRED, "send the body with a Content-Length header")
    length = int(announced)
    if length > limit:
        raise Refused(BODY_TOO_LARGE, too_large_message(length, limit))
    body: bytes = environ["wsgi.input"].read(length)
    if len(body) < length:
        raise Refused(BODY_BROKEN_OFF, f"the body ends after {len(body)} of {length} bytes")
    return body


def too_large_message(length: int, limit: int) -> str:
    """The sentence for a body beyond the limit."""
    return f"the body has {length} bytes; at most {limit} are read"


class Shed:
    """WSGI middleware: answers 503 and ``Retry-After: 1`` when a request comes too late to be served in time.

    The API server repeats such a call within its own timeout; a call that it has to cut off counts as failed.
    The oldest waiting request is refused first, which takes no time, so a queue that has grown empties at
    once.
    """

    def __init__(
        self,
        app: WSGIApplication,
        *,
        max_in_flight: int,
        max_wait_seconds: float,
        refused: Callable[[int, str], None],
    ) -> None:
        self._app = app
        self._max_in_flight = max_in_flight
        self._max_wait_seconds = max_wait_seconds
        self._refused = refused

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if not self._too_late(environ):
            return self._app(environ, start_response)
        status, reason = OVERLOADED
        self._refused(status, reason)
        body = b"too many requests at once; try again in a second\n"
        headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body))), ("Retry-After", "1")]
        start_response(f"{status} Service Unavailable", headers)
        return [body]

    def _too_late(self, environ: Environ) -> bool:
        if environ.get(IN_FLIGHT, 0) > self._max_in_flight:
            return True
        if not self._max_wait_seconds or RECEIVED not in environ:
            return False
        waited: float = time.monotonic() - environ[RECEIVED]
        return waited > min(self._max_wait_seconds, WAIT_SHARE * timeout_seconds(environ))
