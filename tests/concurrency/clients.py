"""Clients that do what no well-behaved one does: stop half way, send anything, say nothing."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from tests.concurrency.api_server import SERVICE

TIMEOUT_SECONDS = 10.0
HEAD = b"POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@dataclass(frozen=True)
class Client:
    """A client of one webhook; every call makes a connection of its own."""

    address: str
    context: ssl.SSLContext

    @staticmethod
    def of(address: str, ca_file: Path) -> Client:
        return Client(address, ssl.create_default_context(cafile=str(ca_file)))

    def plain(self) -> socket.socket:
        """A TCP connection on which nothing has been said."""
        host, port = self.address.rsplit(":", 1)
        sock = socket.create_connection((host, int(port)), timeout=TIMEOUT_SECONDS)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def handshaken(self) -> ssl.SSLSocket:
        """A TLS connection on which nothing has been said."""
        return self.context.wrap_socket(self.plain(), server_hostname=SERVICE)

    def half_a_handshake(self) -> socket.socket:
        sock = self.plain()
        sock.sendall(b"\x16")
        return sock

    def half_a_head(self) -> socket.socket:
        sock = self.handshaken()
        sock.sendall(HEAD + b"Content-")
        return sock

    def half_a_body(self) -> socket.socket:
        sock = self.handshaken()
        sock.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        return sock

    def exchange(self, data: bytes) -> bytes:
        """Send these bytes, and read until the server ends the stream."""
        with self.handshaken() as sock:
            sock.sendall(data)
            received = b""
            while part := sock.recv(65536):
                received += part
            return received
