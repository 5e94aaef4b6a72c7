"""The parent process: gunicorn's arbiter, with a health port, a drain, and reloads that leave no gap."""

from __future__ import annotations

import logging
import signal
import socket
import time
from typing import Any

from gunicorn.arbiter import Arbiter as GunicornArbiter
from gunicorn.errors import HaltServer

from webhook.serve.health import Answer, HealthPort, metrics, readiness
from webhook.serve.logging import event

log = logging.getLogger(__name__)

SILENT_SECONDS = 3.0
"""A worker that has said nothing for so long, of twice a second, is not ready: it hangs or is starved."""
RESPAWN_SECONDS = 5.0
"""Pause after a worker that could not start while others serve, so that it does not try in a hot loop."""


class Arbiter(GunicornArbiter):  # type: ignore[misc]  # gunicorn is untyped
    """Keeps the workers alive, answers for them on the health port, and stops in order."""

    def __init__(self, app: Any, listener: socket.socket, health: socket.socket) -> None:
        super().__init__(app)
        self.LISTENERS = [listener]  # bound by us, before anything else: gunicorn then binds nothing
        self._settings = app.settings
        self._stop_at: float | None = None
        self._reload_until = 0.0
        self._spawn_from = 0.0
        self._health = HealthPort(
            health,
            {
                "/livez": lambda: Answer(200, b"ok\n"),
                "/readyz": self._readyz,
                "/metrics": lambda: metrics(app.run_dir),
            },
        )

    def missing(self) -> list[str]:
        """What is missing before this replica answers rightly; empty when ready."""
        if self.app.draining:
            return ["draining: this replica is stopping"]
        statuses = {pid: worker.page.read() for pid, worker in self.WORKERS.items()}
        lacking: list[str] = []
        for pid, status in statuses.items():
            if status is None:
                lacking.append(f"worker {pid}: starting")
            elif status.age_seconds() > SILENT_SECONDS:
                lacking.append(f"worker {pid}: silent for {status.age_seconds():.0f} s")
            else:
                lacking += [f"worker {pid}: {what}" for what in status.missing]
        ready = sum(1 for pid in statuses if not any(line.startswith(f"worker {pid}:") for line in lacking))
        if ready >= self.num_workers:
            return []  # while a reload goes on there are more workers than needed
        return lacking or [f"{ready} of {self.num_workers} workers are running"]

    def in_child(self) -> None:
        """Let go, in a worker, of what is the parent's."""
        signal.set_wakeup_fd(-1)
        self._health.close()

    # ---- what gunicorn calls ----

    def init_signals(self) -> None:
        """Besides queueing it, a signal ends the wait on the health port."""
        super().init_signals()
        signal.set_wakeup_fd(self._health.wake_writer.fileno(), warn_on_full_buffer=False)

    def wait_for_signals(self, timeout: float = 1.0) -> Any:
        """One turn of the main loop: answer on the health port until a signal comes or the time is over."""
        if self._stop_at is not None:
            left = self._stop_at - time.monotonic()
            if left <= 0:
                raise StopIteration
            timeout = min(timeout, left)
        if not self.SIG_QUEUE.qsize():
            self._health.serve(timeout)
        return super().wait_for_signals(timeout=0)

    def handle_term(self) -> None:
        """Fail readiness, go on serving while endpoints move, then stop. A second signal stops at once."""
        if self._stop_at is not None or not self._settings.drain_seconds:
            raise StopIteration
        self.app.draining.raise_()
        self._stop_at = time.monotonic() + self._settings.drain_seconds
        event(log, logging.INFO, "draining", seconds=self._settings.drain_seconds)

    def reload(self) -> None:
        """Start new workers; :meth:`manage_workers` stops the old ones when these are ready."""
        if self.app.draining:
            return
        log.info("reloading: starting new workers")
        self._reload_until = time.monotonic() + self._settings.start_wait_seconds
        for _ in range(self.num_workers):
            self.spawn_worker()

    def manage_workers(self) -> None:
        """Replace workers that ended, and end those that have been replaced."""
        now = time.monotonic()
        if len(self.WORKERS) < self.num_workers and now < self._spawn_from:
            return
        if len(self.WORKERS) > self.num_workers and now < self._reload_until and not self._successors_ready():
            return
        super().manage_workers()

    def reap_workers(self) -> None:
        """A worker that cannot start ends the server, unless others are serving: then these go on."""
        try:
            super().reap_workers()
        except HaltServer as halt:
            if not any(self._is_ready(worker) for worker in self.WORKERS.values()):
                raise
            self._spawn_from = time.monotonic() + RESPAWN_SECONDS
            event(log, logging.ERROR, "a new worker could not start; the others go on", reason=halt.reason)

    def _successors_ready(self) -> bool:
        youngest = sorted(self.WORKERS.values(), key=lambda worker: worker.age)[-self.num_workers :]
        return all(self._is_ready(worker) for worker in youngest)

    def _is_ready(self, worker: Any) -> bool:
        status = worker.page.read()
        return status is not None and not status.missing

    def _readyz(self) -> Answer:
        return readiness(self.missing())
