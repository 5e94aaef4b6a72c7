"""The states of a connection, and how long each may last."""

from __future__ import annotations

import enum

HANDSHAKE_SECONDS = 10.0
"""The API server's own limit on a TLS handshake: it has given up by then."""
HEAD_SECONDS = 5.0
"""From the first byte of a request to the end of its head, which clients send in one piece."""
BODY_SECONDS = 10.0
"""From the first byte of a request to the last: the API server's default timeout for a webhook."""
WRITE_SECONDS = 10.0
"""For an answer to leave, likewise."""
LINGER_SECONDS = 2.0
"""After our last byte: a socket closed earlier, with bytes unread, could destroy the answer on its way."""
LINGER_BYTES = 8 * 2**20
"""What is read and thrown away in that time: a body of the largest size that somebody was still sending."""
MAX_HEAD_BYTES = 32 * 1024
"""Request line and headers: the API server sends less than 1 KiB, tracing headers included."""


class Phase(enum.Enum):
    """What a connection is waiting for."""

    HANDSHAKE = enum.auto()
    IDLE = enum.auto()
    """The first byte of a request; may last as long as keep-alive does."""
    HEAD = enum.auto()
    BODY = enum.auto()
    REQUEST = enum.auto()
    """Nothing: a whole request is at hand."""
    WRITE = enum.auto()
    LINGER = enum.auto()
    """Our side is finished; theirs is not."""


class Next(enum.Enum):
    """What the owner of a connection does next."""

    WAIT = enum.auto()
    """For ``conn.channel.wants``, until ``conn.timeout``."""
    ANSWER = enum.auto()
    """A whole request is at hand."""
    CLOSE = enum.auto()
