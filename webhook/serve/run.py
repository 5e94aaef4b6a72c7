"""Start a server and stay until it has stopped."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from webhook.serve import logging as logs
from webhook.serve import metric_files
from webhook.serve.listening import CannotServe, address_of, listen
from webhook.serve.settings import AppFactory, ServeSettings
from webhook.serve.tls import NotAfter

if TYPE_CHECKING:
    from webhook.serve.application import Application

__all__ = ["CannotServe", "serve"]

log = logging.getLogger(__name__)

MEMORY_DIR = "/dev/shm"  # noqa: S108 - mkdtemp makes a private directory in it
FOREIGN_VARIABLES = (
    "SCRIPT_NAME",
    "GUNICORN_PID",
    "GUNICORN_FD",
    "LISTEN_PID",
    "LISTEN_FDS",
    "NOTIFY_SOCKET",
)
"""gunicorn takes orders from these; the environment is the container's, so they are not ours to follow."""


def serve(app_factory: AppFactory, settings: ServeSettings, *, not_after: NotAfter | None = None) -> int:
    """Serve until SIGTERM or SIGINT; SIGHUP replaces the workers without a gap.

    ``app_factory`` runs in each worker process after the fork. ``not_after`` reads the end of validity from
    the PEM bytes of a certificate; without it there is no expiry metric.

    Returns:
        The exit status: 0 after an orderly stop, 1 if the application cannot start.

    Raises:
        CannotServe: nothing has been started.
    """
    problems = settings.problems()
    if problems:
        raise CannotServe("; ".join(problems))
    logs.setup(settings.log_level)
    _raise_descriptor_limit()
    for name in FOREIGN_VARIABLES:
        os.environ.pop(name, None)
    with (
        listen(settings.host, settings.port, "--host", "--port") as listener,
        listen(settings.health_host, settings.health_port, "--health-host", "--health-port") as health,
        run_dir(settings.run_dir) as folder,
    ):
        metric_files.enable(folder)
        _announce(settings, listener, health)

        from webhook.serve.application import Application

        status = _run(Application(app_factory, settings, not_after, folder), listener, health)
        logs.event(log, logging.INFO, "stopped", status=status)
        return status


def _run(application: Application, listener: socket.socket, health: socket.socket) -> int:
    from webhook.serve.arbiter import Arbiter

    parent = os.getpid()
    status = 1
    try:
        Arbiter(application, listener, health).run()
    except SystemExit as stopped:
        status = stopped.code if isinstance(stopped.code, int) else 0
    finally:
        if os.getpid() != parent:
            # A worker ends here: the rest of the stack, and of what happens at exit, is the parent's to do.
            # Nor does it wait for threads: gunicorn has given them their time.
            os._exit(status)
    return 1 if status else 0  # gunicorn tells more kinds of failure apart than our command does


@contextlib.contextmanager
def run_dir(wanted: str) -> Iterator[Path]:
    """A private directory for this run, gone afterwards. Every request writes metrics to it."""
    parent = wanted or (MEMORY_DIR if os.access(MEMORY_DIR, os.W_OK) else None)
    try:
        path = Path(tempfile.mkdtemp(prefix="resourceclass-", dir=parent))
    except OSError as error:
        raise CannotServe(
            f"cannot make a directory in {parent}: {error.strerror}; choose another --run-dir"
        ) from error
    maker = os.getpid()
    try:
        yield path
    finally:
        if os.getpid() == maker:
            shutil.rmtree(path, ignore_errors=True)


def _raise_descriptor_limit() -> None:
    """Every connection takes a file descriptor; many systems allow 1,024 unless asked."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _announce(settings: ServeSettings, listener: socket.socket, health: socket.socket) -> None:
    scheme = "https" if settings.tls_cert else "http"
    logs.event(
        log,
        logging.INFO,
        "listening",
        requests=f"{scheme}://{address_of(listener)}",
        health=f"http://{address_of(health)}",
        workers=settings.workers,
        threads=settings.threads,
    )
