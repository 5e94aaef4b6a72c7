"""One open connection to a server, over which one request at a time is answered.

Whenever a thread enters the kernel it lets go of the interpreter's lock, and in a busy process queues up
behind all others for it. A Python socket with a time limit does so twice for each write and three times for
each read over TLS; this one does not block, and waits itself.
"""

import select
import ssl
from collections.abc import Callable
from typing import Any, Final

from urllib3.connection import HTTPConnection

from webhook.cluster.http_answer import Answer, read_answer

# A TLS record holds no more.
_READ_BYTES: Final = 16 * 1024

Clock = Callable[[], float]


class Line:
    """A connection that urllib3 has opened."""

    def __init__(self, connection: HTTPConnection, clock: Clock) -> None:
        self._connection = connection
        self._socket: Any = connection.sock
        self._socket.setblocking(False)
        self._clock = clock
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(self._socket, select.POLLIN)
        self._writable.register(self._socket, select.POLLOUT)
        self.has_begun = False
        """Whether some of the last answer has arrived."""

    def exchange(self, request: bytes, seconds: float, deadline: float, most_bytes: int) -> Answer:
        """Send a request and read its answer; a wait of more than `seconds` is an error."""
        self.has_begun = False

        def receive() -> bytes:
            data = self._receive(seconds)
            self.has_begun = self.has_begun or bool(data)
            if self._clock() > deadline:
                raise TimeoutError("the answer came too slowly")
            return data

        self._send(request, seconds)
        return read_answer(receive, most_bytes)

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def _send(self, request: bytes, seconds: float) -> None:
        rest = memoryview(request)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except ssl.SSLWantReadError:
                _wait(self._readable, seconds)
            except (ssl.SSLWantWriteError, BlockingIOError):
                _wait(self._writable, seconds)

    def _receive(self, seconds: float) -> bytes:
        while True:
            # Of a record that is decrypted already the kernel knows nothing.
            if not (isinstance(self._socket, ssl.SSLSocket) and self._socket.pending()):
                _wait(self._readable, seconds)
            try:
                data: bytes = self._socket.recv(_READ_BYTES)
                return data
            except (ssl.SSLWantReadError, BlockingIOError):
                continue  # a record that is not complete yet, or none of the answer
            except ssl.SSLWantWriteError:
                _wait(self._writable, seconds)


def _wait(poll: select.poll, seconds: float) -> None:
    if not poll.poll(seconds * 1000):
        raise TimeoutError("timed out")
