"""The worker process: makes the application, keeps the certificate, says whether it is ready, and serves."""

from __future__ import annotations

import logging
import ssl
import sys
import time
from functools import partial
from typing import Any

from gunicorn.arbiter import Arbiter

from webhook.serve import exchange, metrics
from webhook.serve.connection import Rules
from webhook.serve.limits import Shed
from webhook.serve.logging import batches, event
from webhook.serve.memory import MemoryBudget, return_large_blocks
from webhook.serve.polling import PollingWorker
from webhook.serve.settings import App
from webhook.serve.shared import StatusPage
from webhook.serve.tls import Certificate

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""How often the main loop looks at the certificate, at readiness and at the clock."""
CHECK_FAILED = "the readiness check failed; the log has the details"
START_LOOK_SECONDS = 0.05
"""The same while it waits to become ready."""
LARGE_BODIES_BYTES = 64 * 2**20
"""For all large bodies of a process: nine of the largest size, and the decoded objects of a few."""


class Worker(PollingWorker):
    """One process of a server."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Runs in the arbiter before the fork, so that both sides share the page."""
        super().__init__(*args, **kwargs)
        self.page = StatusPage()
        self._missing: list[str] | None = None
        self._next_look = 0.0

    def load_wsgi(self) -> None:
        """Make the application; nothing is accepted yet."""
        settings = self._settings
        return_large_blocks()
        self._certificate = self._open_certificate()
        self._served = self._make_app()
        self.rules = Rules(
            parse_head=partial(exchange.parse_head, self.cfg),
            refuse=self.refuse,
            budget=MemoryBudget(LARGE_BODIES_BYTES),
            max_body_bytes=settings.max_body_bytes,
            keepalive_seconds=settings.keepalive_seconds,
        )
        self.wsgi = Shed(
            self._served.wsgi,
            max_in_flight=settings.max_in_flight,
            max_wait_seconds=settings.max_wait_seconds,
            refused=metrics.server_metrics().count_refused,
        )

    def run(self) -> None:
        """Wait to be ready, for a bounded time, then serve until told to stop."""
        with batches():
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

    def _make_app(self) -> App:
        try:
            app: App = self.app.factory()
            return app
        except Exception:
            log.exception("the application cannot start")
            sys.exit(Arbiter.WORKER_BOOT_ERROR)

    def tls_context(self) -> ssl.SSLContext | None:
        """The context of the certificate in use."""
        if self._certificate and not self._certificate.context:
            raise OSError(f"no certificate: {self._certificate.error}")
        return self._certificate.context if self._certificate else None

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
            if self._missing is None or CHECK_FAILED not in self._missing:
                log.exception("the readiness check failed")
            missing.append(CHECK_FAILED)
        self._say(missing)
        return missing

    def _say(self, missing: list[str]) -> None:
        self.page.write(missing)
        if missing != self._missing:
            self._missing = missing
            event(log, logging.INFO, "not ready" if missing else "ready", missing=missing)
