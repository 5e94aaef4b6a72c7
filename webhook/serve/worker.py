"""The worker process: gunicorn's ``gthread``, whose threads never wait for a connection.

The API server's client dials spare TLS connections and parks them, and each holds a thread of the stock
worker in a blocking read: with more calls in flight than threads nothing completes at all. Here the main
thread polls every connection that waits for the network, whatever for, and the pool's threads only compute.

What is kept of ``gthread``: its main loop, its queue back to the main thread, and its orderly stop.
"""

from __future__ import annotations

import errno
import logging
import ssl
import sys
import threading
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, ThreadWorker

from webhook.serve import exchange, metrics
from webhook.serve.channel import Channel
from webhook.serve.connection import Connection, Next, Phase, Rules
from webhook.serve.limits import Refused, Shed
from webhook.serve.logging import event
from webhook.serve.settings import App
from webhook.serve.shared import StatusPage
from webhook.serve.tls import Certificate

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""How often the main loop looks at the certificate, at readiness and at the clock."""
START_LOOK_SECONDS = 0.05
"""The same while it waits to become ready."""
SWEEP_SECONDS = 0.25
"""How often overdue connections are closed: fine enough for deadlines of seconds."""
BREATH_SECONDS = 0.05
"""Pause when the process has no file descriptor left for a client that stands at the door."""
LARGE_BODIES_BYTES = 64 * 2**20
"""For all large bodies of a process: nine of the largest size, and the decoded objects of a few."""
SAME_TROUBLE_SECONDS = 60.0
"""A client that does not trust us comes back with every call: one line a minute says so."""

_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """One process: accepts, polls, and hands whole requests to the pool."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Runs in the arbiter before the fork, so that both sides share the page."""
        super().__init__(*args, **kwargs)
        self.page = StatusPage()
        self._settings = self.app.settings
        self._waiting: set[Connection] = set()
        self._busy = 0
        self._next_look = 0.0
        self._next_sweep = 0.0
        self._missing: list[str] | None = None
        self._last_trouble: dict[str, float] = {}

    # ---- life ----

    def load_wsgi(self) -> None:
        """Make the application; nothing is accepted yet."""
        settings = self._settings
        self._metrics = metrics.server_metrics()
        self._certificate = self._open_certificate()
        self._served = self._make_app()
        self._rules = Rules(
            parse_head=partial(exchange.parse_head, self.cfg),
            refuse=self._refuse,
            budget=MemoryBudget(LARGE_BODIES_BYTES),
            max_body_bytes=settings.max_body_bytes,
            keepalive_seconds=settings.keepalive_seconds,
        )
        self.wsgi = Shed(
            self._served.wsgi,
            max_in_flight=settings.max_in_flight,
            max_wait_seconds=settings.max_wait_seconds,
            refused=self._metrics.count_refused,
        )

    def run(self) -> None:
        """Wait to be ready, for a bounded time, then serve until told to stop."""
        until = time.monotonic() + self._settings.start_wait_seconds
        while self.alive and self._look() and time.monotonic() < until and self.is_parent_alive():
            time.sleep(START_LOOK_SECONDS)
        try:
            super().run()
        finally:
            self._served.close()

    def notify(self) -> None:
        """Called in every turn of the main loop; does something about twice a second."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            self._look()

    def set_accept_enabled(self, enabled: bool) -> None:
        """Start or stop accepting. A stopping worker lets go of the port, so that nobody queues up for it."""
        super().set_accept_enabled(enabled)
        if self.alive:
            return
        for listener in self.sockets:
            listener.close()
        for conn in self._waiting:
            self._hurry(conn)

    def _make_app(self) -> App:
        try:
            return App(*self.app.factory())
        except Exception:
            log.exception("the application cannot start")
            sys.exit(Arbiter.WORKER_BOOT_ERROR)

    def _open_certificate(self) -> Certificate | None:
        if not self._settings.tls_cert:
            return None
        certificate = Certificate(self._settings.tls_cert, self._settings.tls_key, self.app.not_after)
        certificate.refresh()
        return certificate

    def _look(self) -> list[str]:
        """Beat the heart, refresh what changes with time, and say what is missing."""
        super().notify()
        missing: list[str] = []
        if self._certificate:
            self._certificate.refresh()
            metrics.certificate_metrics().update(self._certificate)
            missing += self._certificate.missing()
        try:
            missing += self._served.ready()
            self._served.tick()
        except Exception:
            log.exception("the readiness check failed")
            missing.append("the readiness check failed; the log has the details")
        self._say(missing)
        return missing

    def _say(self, missing: list[str]) -> None:
        self.page.write(missing)
        if missing != self._missing:
            self._missing = missing
            event(log, logging.INFO, "not ready" if missing else "ready", missing=missing)

    # ---- main thread: connections that wait ----

    def accept(self, listener: Any) -> None:
        """Take one connection from the queue, if another worker has not been faster."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _OUT_OF_DESCRIPTORS:
                self._trouble("no file descriptor is left for new connections; raise the limit", error)
                time.sleep(BREATH_SECONDS)
            return
        context = self._certificate.context if self._certificate else None
        if self._certificate and not context:
            sock.close()
            return
        try:
            channel = Channel(sock, context)
        except OSError:
            sock.close()
            return
        self.nr_conns += 1
        self._park(Connection(channel, client, listener.getsockname(), self._rules, tls=bool(context)))

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
            if conn.advance() is Next.ANSWER:
                data, keep = self._respond(conn)
                conn.answer(data, keep=keep)
            return conn.advance()
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
            self._metrics.count_refused(500, "internal_error")
            return exchange.internal_error(), False

    def _refuse(self, refused: Refused) -> bytes:
        self._metrics.count_refused(refused.status, refused.reason)
        return exchange.refusal(refused)

    def _note_tls_error(self, error: ssl.SSLError) -> None:
        """A client that refuses our certificate is worth a line: nobody but us can see the mistake.

        The rest are scanners and probes that speak no TLS, and clients that have gone.
        """
        reason = error.reason or ""
        if "ALERT" in reason and ("CERT" in reason or "UNKNOWN_CA" in reason):
            self._trouble("a client refuses our certificate; does it trust the CA that issued it?", error)
        else:
            log.debug("a TLS connection failed: %s", error)

    def _trouble(self, message: str, error: OSError) -> None:
        now = time.monotonic()
        if now >= self._last_trouble.get(message, 0.0) + SAME_TROUBLE_SECONDS:
            self._last_trouble[message] = now
            event(log, logging.WARNING, message, error=str(error))


class MemoryBudget:
    """Bytes that may be held at once."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Reserve ``size`` bytes if there is room."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        """Return what was reserved."""
        with self._lock:
            self._left += size
