"""Whether this is the only process of its server that has books.

A worker that is replaced may overlap with its successor for some seconds, and two books would give one device
twice. A name in the kernel's table of sockets tells: only one process can have it, and it goes with the
process, however that ends.
"""

import os
import socket
from threading import Lock


class Alone:
    """Takes the name when it is free, and keeps it while the process lives."""

    def __init__(self, name: str | None = None) -> None:
        """By default the name is that of the parent, which workers of one server share."""
        self._address = f"\0resourceclass-binder-{name or os.getppid()}"
        self._socket: socket.socket | None = None
        self._closed = False
        self._lock = Lock()

    def __call__(self) -> bool:
        """Whether the name is held."""
        with self._lock:
            if self._closed:
                return False
            if self._socket is None:
                self._socket = _bound(self._address)
            return self._socket is not None

    def close(self) -> None:
        """Give the name up: nothing is decided here any more."""
        with self._lock:
            self._closed = True
            if self._socket is not None:
                self._socket.close()


def _bound(address: str) -> socket.socket | None:
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        holder.bind(address)
    except OSError:
        holder.close()
        return None
    return holder
