"""One HTTP/1.1 answer, read from whatever gives its bytes.

`http.client` reads an answer line by line and its headers as those of a mail, which takes longer than the
API server takes to answer. `httptools` reads it with llhttp, the parser of Node.js, in its strict
mode. What llhttp does not do is here: the bounds, and the bodies that last as long as their connection.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn

from httptools import HttpParserCallbackError, HttpParserError, HttpResponseParser

Receive = Callable[[], bytes]
"""Returns the bytes that come next, at least one; none at the end of the stream."""

# The API server sends some ten headers, less than 1 KiB; what stands between two pieces of a body is shorter.
MAX_HEAD_BYTES: Final = 64 * 1024
# llhttp reads HTTP/0.9 and HTTP/2.0 too.
_VERSIONS: Final = ("1.0", "1.1")


class BadAnswer(OSError):
    """What came is no HTTP/1.1 answer, ends too early, or is longer than it may be."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer. `keeps_open` says whether its connection can carry another request."""

    status: int
    reason: str
    body: bytes
    keeps_open: bool


def read_answer(receive: Receive, most: int) -> Answer:
    """Read an answer with a body of at most `most` bytes. Raises BadAnswer, and what `receive` raises."""
    reading = _Reading(most)
    try:
        while not reading.is_complete and (data := receive()):
            reading.feed(data)
        return reading.answer()
    finally:
        # It and its parser hold each other: the body would wait for the garbage collector.
        del reading.parser


class _Reading:
    """An answer as far as it has come. The methods named `on_...` are called by httptools."""

    def __init__(self, most: int) -> None:
        self.is_complete = False
        self.parser = HttpResponseParser(self)
        self._most = most
        self._status, self._reason = 0, b""
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._framing_bytes = 0
        self._has_end = False
        self._keeps_open = False

    def feed(self, data: bytes) -> None:
        """Take what came next."""
        self._framing_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except HttpParserError as error:
            if not self.is_complete:
                self._fail(error, data)
            self._keeps_open = False  # more came than was asked for
        if self._framing_bytes > MAX_HEAD_BYTES and not self.is_complete:
            raise BadAnswer(f"no end of a head or line within {MAX_HEAD_BYTES} bytes")

    def answer(self) -> Answer:
        """Return the answer: nothing that belongs to it comes any more."""
        if not self.is_complete and (self._has_end or not self._status):
            raise BadAnswer("the connection was closed before the end of the answer")
        return Answer(self._status, self._reason.decode("latin-1"), b"".join(self._body), self._keeps_open)

    def _fail(self, error: HttpParserError, data: bytes) -> NoReturn:
        if isinstance(error, HttpParserCallbackError) and error.__context__ is not None:
            raise error.__context__ from None  # what a method below has raised
        what = "an answer with a broken body" if self._status else f"no answer in HTTP/1.1 but {data[:40]!r}"
        raise BadAnswer(f"{what}: {error}") from error

    def on_message_begin(self) -> None:
        if self.is_complete:  # by more than empty lines, which llhttp skips before any answer
            raise BadAnswer("two answers to one request")

    def on_status(self, reason: bytes) -> None:
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        match name.lower():
            case b"content-length":
                self._has_end = True
                self._bound(int(b"0" + value.lstrip(b"0")))  # int() refuses thousands of zeros
            case b"transfer-encoding":
                self._has_end = True
                if value.strip().lower() != b"chunked":
                    raise BadAnswer(f"an answer in the transfer coding {value[:40]!r}")

    def on_headers_complete(self) -> None:
        status, version = self.parser.get_status_code(), self.parser.get_http_version()
        if version not in _VERSIONS or not 200 <= status < 600:
            raise BadAnswer(f"no answer in HTTP/1.1 but the status {status} in HTTP/{version}")
        self._status = status
        self._framing_bytes = 0

    def on_body(self, piece: bytes) -> None:
        self._body_bytes += len(piece)
        self._bound(self._body_bytes)
        self._body.append(piece)
        self._framing_bytes = 0

    def on_message_complete(self) -> None:
        self.is_complete = True
        self._keeps_open = self.parser.should_keep_alive()

    def _bound(self, body_bytes: int) -> None:
        if body_bytes > self._most:
            raise BadAnswer(f"an answer with a body of more than {self._most} bytes")
