"""The sockets that a server listens on, and why one cannot be had."""

from __future__ import annotations

import errno
import socket

BACKLOG = 1024
"""Connections that may queue up while every worker is busy."""
_OF_THE_PORT = frozenset({errno.EADDRINUSE, errno.EACCES})


class CannotServe(Exception):
    """A server that cannot start, and why: settings, an address, or a port that is taken."""


def listen(host: str, port: int, host_flag: str, port_flag: str) -> socket.socket:
    """Listen on one address, or with an empty ``host`` on every one, IPv4 and IPv6.

    Raises CannotServe, which names the flag to change.
    """
    try:
        sock = _bind(host, port)
    except OSError as error:
        remedy = (
            f"choose another {port_flag}"
            if error.errno in _OF_THE_PORT
            else f"{host_flag} has to be an address of this machine"
        )
        raise CannotServe(
            f"cannot listen on {_joined(host or '*', port)}: {_why(error)}; {remedy}"
        ) from error
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def address_of(sock: socket.socket) -> str:
    """Where a socket listens, as a URL has it: ``127.0.0.1:8443``, ``[::]:8443``."""
    host, port = sock.getsockname()[:2]
    return _joined(host, port)


def _bind(host: str, port: int) -> socket.socket:
    if not host and socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _why(error: OSError) -> str:
    """The error in words, without the address, which Python repeats behind them."""
    return str(error.strerror or error).partition(" (while attempting")[0]
