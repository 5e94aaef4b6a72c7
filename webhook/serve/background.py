"""A process that serves nobody but its health port: what it does, it does on threads of its own."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from webhook.serve import logging as logs
from webhook.serve import metric_files
from webhook.serve.health import Answer, HealthPort, metrics, readiness
from webhook.serve.listening import CannotServe, address_of, listen
from webhook.serve.run import run_dir
from webhook.serve.settings import HealthSettings

log = logging.getLogger(__name__)

TICK_SECONDS = 0.5


class Background(NamedTuple):
    """What runs. All of it is called on the main thread; ``missing`` and ``tick`` return at once."""

    start: Callable[[], None]
    missing: Callable[[], list[str]]
    """What is missing before this process does its work; empty when ready."""
    tick: Callable[[], None]
    """Brings the metrics up to now."""
    close: Callable[[], None]


def run_background(make: Callable[[], Background], settings: HealthSettings) -> int:
    """Run until SIGTERM or SIGINT; returns the exit code.

    Raises:
        CannotServe: nothing has been started.
    """
    problems = settings.problems()
    if problems:
        raise CannotServe("; ".join(problems))
    logs.setup(settings.log_level)
    with (
        listen(settings.health_host, settings.health_port, "--health-host", "--health-port") as socket,
        run_dir(settings.run_dir) as folder,
    ):
        metric_files.enable(folder)
        logs.event(log, logging.INFO, "listening", health=f"http://{address_of(socket)}")
        background = make()
        health = HealthPort(socket, _handlers(background, folder))
        _run(background, health)
    logs.event(log, logging.INFO, "stopped", status=0)
    return 0


def _run(background: Background, health: HealthPort) -> None:
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda which, _: told.append(which))
    # A signal also ends the wait on the health port.
    signal.set_wakeup_fd(health.wake_writer.fileno(), warn_on_full_buffer=False)
    background.start()
    try:
        while not told:
            background.tick()
            health.serve(TICK_SECONDS)
    finally:
        signal.set_wakeup_fd(-1)
        background.close()


def _handlers(background: Background, folder: Path) -> dict[str, Callable[[], Answer]]:
    return {
        "/livez": lambda: readiness([]),
        "/readyz": lambda: readiness(background.missing()),
        "/metrics": lambda: metrics(folder),
    }
