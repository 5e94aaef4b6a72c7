"""A byte stream to one client, TLS or plain, that never blocks.

Every method does what can be done at once. Where the network has to move first it raises :class:`WouldBlock`
and ``wants`` says for what, so that a poller waits instead of a thread.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import ssl
from typing import NoReturn

READ_BYTES = 64 * 1024
"""One read: a typical review in one piece (a TLS record holds at most 16 KiB)."""


class WouldBlock(Exception):
    """Nothing more can be done until the socket is ready for what ``Channel.wants`` says."""


class Channel:
    """One connected socket."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext | None) -> None:
        """Take over ``sock``. With a context, :meth:`handshake` comes first.

        Raises:
            OSError: the client is gone already.
        """
        sock.setblocking(False)
        self.sock = sock
        self.wants = selectors.EVENT_READ
        if context:
            self.sock = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)

    def handshake(self) -> None:
        """Carry the TLS handshake on; returns when it is complete."""
        if isinstance(self.sock, ssl.SSLSocket):
            try:
                self.sock.do_handshake()
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
                self._block(error)

    def read(self, size: int = READ_BYTES) -> bytes:
        """What has arrived, at least one byte; empty when the client has ended the stream."""
        try:
            return self.sock.recv(size)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError) as error:
            self._block(error)

    def write(self, data: memoryview) -> int:
        """Send what the network takes now; how many bytes that were."""
        try:
            return self.sock.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
            self._block(error)
        except BlockingIOError:
            self.wants = selectors.EVENT_WRITE
            raise WouldBlock from None

    def pending(self) -> bool:
        """Whether decrypted bytes wait that the poller cannot see."""
        return isinstance(self.sock, ssl.SSLSocket) and self.sock.pending() > 0

    def finish(self) -> None:
        """Say that nothing more will be sent. What still arrives can be read, as raw bytes, and be thrown
        away."""
        self.wants = selectors.EVENT_READ
        with contextlib.suppress(OSError, ValueError):
            if isinstance(self.sock, ssl.SSLSocket):
                self.sock.unwrap()
        with contextlib.suppress(OSError, ValueError):
            self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Let go of the socket; never waits."""
        with contextlib.suppress(OSError):
            self.sock.close()

    def _block(self, error: OSError) -> NoReturn:
        writing = isinstance(error, ssl.SSLWantWriteError)
        self.wants = selectors.EVENT_WRITE if writing else selectors.EVENT_READ
        raise WouldBlock from None
