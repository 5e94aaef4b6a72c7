"""gunicorn's ``gthread`` worker, whose threads never wait for a connection.

The API server's client dials spare TLS connections and parks them, and each holds a thread of the stock
worker in a blocking read: with more calls in flight than threads nothing completes at all. Here the main
thread polls every connection that waits for the network, whatever for, and the pool's threads only compute.

What is kept of ``gthread``: its main loop, its queue back to the main thread, and its orderly stop.
"""

from __future__ import annotations

import errno
import logging
import ssl
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker

from webhook.serve import exchange, metrics
from webhook.serve.channel import Channel
from webhook.serve.connection import Connection, Rules
from webhook.serve.limits import Refused
from webhook.serve.logging import Repeated
from webhook.serve.phases import Next, Phase

log = logging.getLogger(__name__)

SWEEP_SECONDS = 0.25
"""How often overdue connections are closed: fine enough for deadlines of seconds."""
BREATH_SECONDS = 0.05
"""Pause when the process has no file descriptor left for a client that stands at the door."""

_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class PollingWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """Accepts, polls, and hands to the pool what has something to do."""

    rules: Rules

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._settings = self.app.settings
        self._waiting: set[Connection] = set()
        self._busy = 0
        self._next_sweep = 0.0
        self._repeated = Repeated(log)

    def tls_context(self) -> ssl.SSLContext | None:
        """The context for the next connection, None for plain HTTP; OSError without a certificate."""
        raise NotImplementedError

    def is_parent_alive(self) -> bool:
        """Whether there is still an arbiter; without one this worker stops like any other."""
        if super().is_parent_alive():
            return True
        self.alive = False
        return False

    # ---- main thread: connections that wait ----

    def set_accept_enabled(self, enabled: bool) -> None:
        """Start or stop accepting. A stopping worker lets go of the port, so that nobody queues up for it."""
        super().set_accept_enabled(enabled)
        if self.alive:
            return
        for listener in self.sockets:
            listener.close()
        for conn in self._waiting:
            self._hurry(conn)

    def accept(self, listener: Any) -> None:
        """Take one connection from the queue, if another worker has not been faster."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _OUT_OF_DESCRIPTORS:
                self._repeated.warn("no file descriptor is left for new connections; raise the limit", error)
                time.sleep(BREATH_SECONDS)
            return
        try:
            context = self.tls_context()
            channel = Channel(sock, context)
        except OSError as error:
            log.debug("a connection cannot be served: %s", error)
            sock.close()
            return
        self.nr_conns += 1
        self._park(Connection(channel, client, listener.getsockname(), self.rules, tls=bool(context)))

    def enqueue_req(self, conn: Connection) -> None:
        """Give a connection on which something has happened to a thread."""
        self._busy += 1
        conn.noticed = time.monotonic()
        super().enqueue_req(conn)

    def finish_request(self, conn: Connection, future: Future[Next]) -> None:
        """Take it back."""
        self._busy -= 1
        following = Next.CLOSE if future.cancelled() or future.exception() else future.result()
        if following is Next.WAIT:
            self._park(conn)
        elif following is Next.ANSWER:
            self.enqueue_req(conn)
        else:
            self._drop(conn)

    def murder_pending(self) -> None:
        """Close connections whose phase has taken too long; idle ones are left to ``murder_keepalived``."""
        now = time.monotonic()
        if now < self._next_sweep:
            return
        self._next_sweep = now + SWEEP_SECONDS
        for conn in [conn for conn in self._waiting if conn.timeout <= now]:
            self._waiting.remove(conn)
            self.poller.unregister(conn.sock)
            self._drop(conn)

    def _park(self, conn: Connection) -> None:
        if not self.alive:
            self._hurry(conn)
        try:
            self.poller.register(conn.sock, conn.channel.wants, partial(self._on_ready, conn))
        except (OSError, ValueError, KeyError):
            self._drop(conn)
            return
        if conn.phase is Phase.IDLE:
            self.keepalived_conns.append(conn)
        else:
            self._waiting.add(conn)

    def _hurry(self, conn: Connection) -> None:
        """A stopping worker waits for requests only as long as one could be on its way."""
        if conn.phase in (Phase.IDLE, Phase.HANDSHAKE):
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)

    def _on_ready(self, conn: Connection, _fileobj: Any) -> None:
        self.poller.unregister(conn.sock)
        if conn.phase is Phase.IDLE:
            self.keepalived_conns.remove(conn)
        else:
            self._waiting.remove(conn)
        self.enqueue_req(conn)

    def _drop(self, conn: Connection) -> None:
        self.nr_conns -= 1
        conn.close()

    # ---- threads of the pool ----

    def handle(self, conn: Connection) -> Next:
        """Go as far as possible with one connection, without waiting, and answer one request at most.

        A client that sends many at once takes its turn among the others with each.
        """
        try:
            following = conn.advance()
            if following is Next.ANSWER:
                data, keep = self._respond(conn)
                conn.answer(data, keep=keep)
                following = conn.advance()
            return following
        except ssl.SSLError as error:
            self._note_tls_error(error)
        except OSError as error:
            log.debug("a client has gone: %s", error)
        except Exception:
            log.exception("a connection failed")
        return Next.CLOSE

    def _respond(self, conn: Connection) -> tuple[bytes, bool]:
        full = len(self.keepalived_conns) >= self.max_keepalived
        close = full or not self.alive or bool(self.app.draining) or not self._settings.keepalive_seconds
        try:
            return exchange.respond(self.wsgi, conn, self.cfg, in_flight=self._busy, close=close)
        except (Exception, SystemExit):
            log.exception("a request failed")
            metrics.server_metrics().count_refused(500, "internal_error")
            return exchange.internal_error(), False

    def refuse(self, refused: Refused) -> bytes:
        """The answer to a request that is not served; counts it."""
        metrics.server_metrics().count_refused(refused.status, refused.reason)
        return exchange.refusal(refused)

    def _note_tls_error(self, error: ssl.SSLError) -> None:
        """A client that refuses our certificate is worth a line: nobody but us can see the mistake.

        The rest are scanners and probes that speak no TLS, and clients that have gone.
        """
        reason = error.reason or ""
        if "ALERT" in reason and ("CERT" in reason or "UNKNOWN_CA" in reason):
            self._repeated.warn(
                "a client refuses our certificate; does it trust the CA that issued it?", error
            )
        else:
            log.debug("a TLS connection failed: %s", error)
