"""Requests of one document each over connections that are kept: the quick way to an API server.

A verdict may wait for such a read, and a pod for its Binding. urllib3 looks whether a connection has been
dropped before it uses it, sets its time limit several times, and makes a response that can be streamed: that
takes longer than the API server does. Here a request is one write, and its answer as a rule one read.

A request is sent again when its connection turns out to be closed, so what is written may arrive twice.
"""

import inspect
import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection

from webhook.cluster.asked import Asked
from webhook.cluster.http_answer import Answer
from webhook.cluster.line import Clock, Line

CONNECT_SECONDS: Final = 5.0
# A socket takes no zero; an attempt that comes too late fails at once.
LEAST_SECONDS: Final = 0.001


class KeptConnections:
    """Connections to one server, safe for many threads: each is used by one at a time."""

    def __init__(self, server: str, options: Mapping[str, Any], clock: Clock) -> None:
        """Take the URL of a server, and how to connect to it, as urllib3's pools take it."""
        address = urlsplit(server)
        self._kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
        known = inspect.signature(self._kind).parameters
        self._options = {name: value for name, value in options.items() if name in known}
        self._host, self._port = address.hostname or "", address.port
        self._prefix = address.path.rstrip("/")
        self._host_header = address.netloc.rpartition("@")[2]
        self._clock = clock
        self._idle: deque[Line] = deque()
        self._closed = False
        weakref.finalize(self, _close_all, self._idle)  # as urllib3's pools do it

    def exchange(self, asked: Asked, headers: Mapping[str, str], seconds: float, most_bytes: int) -> Answer:
        """Send a request and read its answer.

        The wait for the first byte is at most `seconds`, all attempts together; the whole takes twice that.

        Raises OSError, which includes ssl.SSLError, and the errors with which urllib3 fails to connect.
        """
        deadline = self._clock() + seconds
        request = self._request(asked, headers)
        line = _taken(self._idle)
        if line is not None:
            try:
                return self._exchange(line, request, seconds, deadline, most_bytes)
            except TimeoutError:
                raise
            except OSError:
                if line.has_begun:
                    raise
                # The server has closed it, while nobody used it or just as it was written to.
        line = self._dial(self._left(deadline))
        return self._exchange(line, request, self._left(deadline), deadline, most_bytes)

    def close(self) -> None:
        """Close the connections, those in use after their answer."""
        self._closed = True
        _close_all(self._idle)

    def _left(self, deadline: float) -> float:
        return max(deadline - self._clock(), LEAST_SECONDS)

    def _request(self, asked: Asked, headers: Mapping[str, str]) -> bytes:
        lines = [f"{asked.verb} {self._prefix}{asked.target} HTTP/1.1", f"Host: {self._host_header}"]
        lines += [f"{name}: {value}" for name, value in (*headers.items(), *asked.headers.items())]
        body = asked.body or b""
        if asked.body is not None:
            lines.append(f"Content-Length: {len(body)}")
        if any("\r" in line or "\n" in line for line in lines):
            raise OSError("a line break in the address or in the credentials of the API server")
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1") + body

    def _dial(self, seconds: float) -> Line:
        connection = self._kind(
            self._host, self._port, timeout=min(CONNECT_SECONDS, seconds), **self._options
        )
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return Line(connection, self._clock)

    def _exchange(
        self, line: Line, request: bytes, seconds: float, deadline: float, most_bytes: int
    ) -> Answer:
        try:
            answer = line.exchange(request, seconds, deadline, most_bytes)
        except BaseException:
            line.close()
            raise
        if answer.keeps_open and not self._closed:
            self._idle.append(line)
        else:
            line.close()
        return answer


def _taken(idle: deque[Line]) -> Line | None:
    """Take the connection that was used last: the server has the least reason to have closed it."""
    try:
        return idle.pop()
    except IndexError:
        return None


def _close_all(idle: deque[Line]) -> None:
    while (line := _taken(idle)) is not None:
        line.close()
