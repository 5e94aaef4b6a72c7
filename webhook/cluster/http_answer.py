"""One HTTP/1.1 answer, read from whatever gives its bytes.

`http.client` reads an answer line by line and its headers as those of a mail, which takes longer than the
API server takes to answer. Of the headers only three matter here: what ends the body, and whether the
connection stays open (RFC 9112, sections 6.3, 7.1 and 9.3).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Receive = Callable[[], bytes]
"""Returns the bytes that come next, at least one; none at the end of the stream."""

# The API server sends some ten headers, less than 1 KiB.
MAX_HEAD_BYTES: Final = 64 * 1024
# The size of a chunk with its extensions, or one of the headers behind the last.
_MAX_LINE_BYTES: Final = 4 * 1024

_STATUS_LINE: Final = re.compile(rb"HTTP/1\.([01]) ([2-5]\d\d)(?: (.*))?")
_LENGTH: Final = re.compile(rb"\d{1,15}")
_CHUNK_SIZE: Final = re.compile(rb"([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?")
_BODILESS: Final = (204, 304)


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
    stream = _Stream(receive)
    status_line, *lines = stream.until(b"\r\n\r\n", MAX_HEAD_BYTES).split(b"\r\n")
    match = _STATUS_LINE.fullmatch(status_line)
    if match is None:
        raise BadAnswer(f"no answer in HTTP/1.1 but {status_line[:40]!r}")
    headers = _headers(lines)
    status = int(match[2])
    body, ended = _body(stream, status, headers, most)
    keeps_open = ended and match[1] == b"1" and headers.get(b"connection", b"").lower() != b"close"
    reason = (match[3] or b"").decode("latin-1")
    return Answer(status, reason, body, keeps_open and stream.is_empty)


def _headers(lines: list[bytes]) -> dict[bytes, bytes]:
    pairs = (line.partition(b":") for line in lines)
    return {name.lower(): value.strip() for name, _, value in pairs}


def _body(stream: "_Stream", status: int, headers: dict[bytes, bytes], most: int) -> tuple[bytes, bool]:
    """Return the body, and whether it had an end of its own: else it lasts as long as the connection."""
    if status in _BODILESS:
        return b"", True
    coding = headers.get(b"transfer-encoding")
    if coding is not None:
        if coding.lower() != b"chunked":
            raise BadAnswer(f"an answer in the transfer coding {coding[:40]!r}")
        return _chunks(stream, most), True
    length = headers.get(b"content-length")
    if length is None:
        return stream.rest(most), False
    if _LENGTH.fullmatch(length) is None:
        raise BadAnswer(f"an answer of {length[:40]!r} bytes")
    return stream.exactly(_bounded(int(length), most)), True


def _chunks(stream: "_Stream", most: int) -> bytes:
    chunks: list[bytes] = []
    left = most
    while True:
        line = stream.until(b"\r\n", _MAX_LINE_BYTES)
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise BadAnswer(f"a chunk of {line[:40]!r} bytes")
        size = int(match[1], 16)
        if size == 0:
            break
        chunks.append(stream.exactly(_bounded(size, left)))
        left -= size
        if stream.exactly(2) != b"\r\n":
            raise BadAnswer("a chunk that is longer than it says")
    while stream.until(b"\r\n", _MAX_LINE_BYTES):
        continue  # headers behind the body say nothing that matters here
    return b"".join(chunks)


def _bounded(size: int, most: int) -> int:
    if size > most:
        raise BadAnswer(f"an answer with more than the {most} bytes that are left for it")
    return size


class _Stream:
    """Bytes in the portions in which they are wanted."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._held = bytearray()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come beyond what was taken."""
        return not self._held

    def until(self, end: bytes, most: int) -> bytes:
        """Take what stands before `end`, and `end` itself."""
        searched = 0
        while (found := self._held.find(end, searched)) < 0:
            if len(self._held) > most:
                raise BadAnswer(f"no end of a head or line within {most} bytes")
            searched = max(0, len(self._held) - len(end) + 1)
            self._more()
        return self._take(found, len(end))

    def exactly(self, size: int) -> bytes:
        """Take so many bytes."""
        while len(self._held) < size:
            self._more()
        return self._take(size, 0)

    def rest(self, most: int) -> bytes:
        """Take all that comes until the end of the stream."""
        while data := self._receive():
            self._held += data
            _bounded(len(self._held), most)
        return self._take(_bounded(len(self._held), most), 0)

    def _more(self) -> None:
        data = self._receive()
        if not data:
            raise BadAnswer("the connection was closed before the end of the answer")
        self._held += data

    def _take(self, size: int, skipped: int) -> bytes:
        taken = bytes(self._held[:size])
        del self._held[: size + skipped]
        return taken
