"""One connection as a state machine: handshake, head, body, answer, and again.

``advance`` goes as far as the bytes at hand allow and says what comes next. Each state has a deadline, so a
client that stalls half way, wherever that is, costs a file descriptor for a known time and never a thread.
"""

from __future__ import annotations

import selectors
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from webhook.serve.channel import Channel, WouldBlock
from webhook.serve.limits import BODY_TOO_LARGE, LENGTH_REQUIRED, OVERLOADED, Refused, too_large_message
from webhook.serve.memory import LARGE_BYTES, MemoryBudget
from webhook.serve.phases import (
    BODY_SECONDS,
    HANDSHAKE_SECONDS,
    HEAD_SECONDS,
    LINGER_BYTES,
    LINGER_SECONDS,
    MAX_HEAD_BYTES,
    WRITE_SECONDS,
    Next,
    Phase,
)


class Head(Protocol):
    """What has to be known of a request before its body is read."""

    headers: list[tuple[str, str]]
    _expected_100_continue: bool


@dataclass(frozen=True)
class Rules:
    """What all connections of a server have in common."""

    parse_head: Callable[[bytes, Any, int], Any]
    """(bytes of the head, client address, number of the request) -> head; raises Refused."""
    refuse: Callable[[Refused], bytes]
    """The whole answer to a request that is not served."""
    budget: MemoryBudget
    """Shared by the bodies above LARGE_BYTES; those below always fit."""
    max_body_bytes: int
    keepalive_seconds: float


class Connection:
    """One client. Only one thread at a time holds it."""

    def __init__(self, channel: Channel, client: Any, server: Any, rules: Rules, *, tls: bool) -> None:
        self.channel = channel
        self.client = client
        self.server = server
        self.tls = tls
        self.phase = Phase.HANDSHAKE if tls else Phase.IDLE
        self.timeout = time.monotonic() + (HANDSHAKE_SECONDS if tls else rules.keepalive_seconds)
        """When, by time.monotonic(), the wait of this phase is over."""
        self.received = 0.0
        """time.monotonic() of the first byte of the request at hand."""
        self.noticed = 0.0
        """Set by the poller when something has arrived; the wait for a thread begins there."""
        self.head: Any = None
        self.body = b""
        self._rules = rules
        self._inbox = bytearray()
        self._outbox = memoryview(b"")
        self._close_after_write = False
        self._body_length = 0
        self._reserved = 0
        self._requests = 0
        self._lingered = 0

    @property
    def sock(self) -> Any:
        """The socket, for the poller."""
        return self.channel.sock

    def advance(self) -> Next:
        """Go as far as possible without waiting.

        Raises:
            OSError: the connection is of no more use (which includes ssl.SSLError).
        """
        try:
            while True:
                following = self._STEPS[self.phase](self)
                if following is not None:
                    return following
        except WouldBlock:
            return Next.WAIT
        except Refused as refused:
            self.answer(self._rules.refuse(refused), keep=False)
            return self.advance()

    def answer(self, data: bytes, *, keep: bool) -> None:
        """Hand over the whole answer; :meth:`advance` sends it."""
        self._give_back()
        self.head, self.body = None, b""
        self._outbox, self._close_after_write = memoryview(data), not keep
        self._enter(Phase.WRITE, WRITE_SECONDS)

    def close(self) -> None:
        """Let go of the socket; never waits."""
        self._give_back()
        self.channel.close()

    def _enter(self, phase: Phase, seconds: float, since: float | None = None) -> None:
        self.phase = phase
        self.timeout = (time.monotonic() if since is None else since) + seconds

    def _handshake(self) -> None:
        self.channel.handshake()
        self._enter(Phase.IDLE, self._rules.keepalive_seconds)

    def _idle(self) -> Next | None:
        if not self._inbox and not self._receive():
            return Next.CLOSE
        self.received, self.noticed = self.noticed or time.monotonic(), 0.0
        self._enter(Phase.HEAD, HEAD_SECONDS, self.received)
        return None

    def _read_head(self) -> Next | None:
        end = self._inbox.find(b"\r\n\r\n")
        while end < 0:
            if len(self._inbox) > MAX_HEAD_BYTES:
                raise Refused((431, "head_too_large"), f"the head has more than {MAX_HEAD_BYTES} bytes")
            searched = max(0, len(self._inbox) - 3)
            if not self._receive():
                return Next.CLOSE
            end = self._inbox.find(b"\r\n\r\n", searched)
        self._requests += 1
        self.head = self._rules.parse_head(bytes(self._inbox[: end + 4]), self.client, self._requests)
        del self._inbox[: end + 4]
        self._body_length = self._reserve(_body_length(self.head), self._rules.max_body_bytes)
        self._enter(Phase.BODY, BODY_SECONDS, self.received)
        self._continue()
        return None

    def _reserve(self, length: int, limit: int) -> int:
        if length > limit:
            raise Refused(BODY_TOO_LARGE, too_large_message(length, limit))
        if length > LARGE_BYTES:
            if not self._rules.budget.take(length):
                raise Refused(OVERLOADED, "too many large bodies at once; try again in a second")
            self._reserved = length
        return length

    def _continue(self) -> None:
        """Tell a client that asks whether to send its body: we wait for the body before we answer."""
        if self.head._expected_100_continue and len(self._inbox) < self._body_length:  # noqa: SLF001 - gunicorn's name
            self.channel.write(memoryview(b"HTTP/1.1 100 Continue\r\n\r\n"))
        self.head._expected_100_continue = False  # noqa: SLF001

    def _read_body(self) -> Next | None:
        while len(self._inbox) < self._body_length:
            if not self._receive():
                return Next.CLOSE
        self.body = bytes(self._inbox[: self._body_length])
        del self._inbox[: self._body_length]
        self.phase = Phase.REQUEST
        return None

    def _write(self) -> Next | None:
        while self._outbox:
            self._outbox = self._outbox[self.channel.write(self._outbox) :]
        if self._close_after_write:
            self.channel.finish()
            self._enter(Phase.LINGER, LINGER_SECONDS)
            return None
        self._enter(Phase.IDLE, self._rules.keepalive_seconds)
        # Most clients wait for the answer before they send more: leave the look at the socket to the poller,
        # unless bytes are here already that it cannot see.
        self.channel.wants = selectors.EVENT_READ
        return None if self._inbox or self.channel.pending() else Next.WAIT

    def _linger(self) -> Next:
        while self._lingered < LINGER_BYTES:
            data = self.channel.read()
            if not data:
                break
            self._lingered += len(data)
        return Next.CLOSE

    def _receive(self) -> bool:
        try:
            data = self.channel.read()
        except ssl.SSLEOFError:
            return False
        self._inbox += data
        return bool(data)

    def _give_back(self) -> None:
        if self._reserved:
            self._rules.budget.give_back(self._reserved)
            self._reserved = 0

    _STEPS: ClassVar[dict[Phase, Callable[[Connection], Next | None]]] = {
        Phase.HANDSHAKE: _handshake,
        Phase.IDLE: _idle,
        Phase.HEAD: _read_head,
        Phase.BODY: _read_body,
        Phase.REQUEST: lambda _: Next.ANSWER,
        Phase.WRITE: _write,
        Phase.LINGER: _linger,
    }


def _body_length(head: Head) -> int:
    """The announced length of the body.

    Chunked bodies have none. HTTP lets a server ask for one (411); the API server always gives it.
    """
    length = 0
    for name, value in head.headers:
        if name == "TRANSFER-ENCODING":
            raise Refused(LENGTH_REQUIRED, "send the body with a Content-Length header, not chunked")
        if name == "CONTENT-LENGTH":
            length = int(value)
    return length
