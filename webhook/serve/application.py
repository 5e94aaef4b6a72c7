"""gunicorn's view of a server: its configuration, made of our settings and of nothing else."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from webhook.serve import metric_files
from webhook.serve.settings import AppFactory, ServeSettings
from webhook.serve.shared import Flag
from webhook.serve.tls import NotAfter
from webhook.serve.worker import Worker


class QuietLogger(Logger):  # type: ignore[misc]  # gunicorn is untyped
    """gunicorn's logs through our handler; what it says of itself at info level is for debugging."""

    def setup(self, cfg: Any) -> None:
        """Take the level; the root logger does the rest."""
        self.cfg = cfg
        self._access_log_enabled = False
        self.loglevel = self.LOG_LEVELS[cfg.loglevel]
        self.error_log.propagate = True
        self.error_log.handlers.clear()
        self.error_log.setLevel(
            logging.DEBUG if cfg.loglevel == "debug" else max(self.loglevel, logging.WARNING)
        )


class Application(BaseApplication):  # type: ignore[misc]  # gunicorn is untyped
    """Carries what the arbiter and the workers need of a server."""

    def __init__(
        self, factory: AppFactory, settings: ServeSettings, not_after: NotAfter | None, run_dir: Path
    ) -> None:
        self.factory = factory
        self.settings = settings
        self.not_after = not_after
        self.run_dir = run_dir
        self.draining = Flag()
        super().__init__()

    def load_config(self) -> None:
        """Set what matters, and what gunicorn would else take from the environment."""
        for name, value in self._values().items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Never called: a worker makes its own application."""
        raise NotImplementedError

    def _values(self) -> dict[str, Any]:
        settings = self.settings
        return {
            "bind": "127.0.0.1:0",  # not used: the listeners are bound already
            "worker_class": Worker,
            "workers": settings.workers,
            "threads": settings.threads,
            "worker_connections": settings.max_connections,
            "keepalive": settings.keepalive_seconds,
            "timeout": settings.heartbeat_seconds,
            "graceful_timeout": settings.graceful_seconds,
            "worker_tmp_dir": str(self.run_dir),
            "logger_class": QuietLogger,
            "loglevel": settings.log_level,
            "proc_name": "resourceclass",
            "control_socket_disable": True,
            "http_protocols": "h1",
            "forwarded_allow_ips": "",
            "sendfile": False,
            "post_fork": self._post_fork,
            "child_exit": self._child_exit,
        }

    def _post_fork(self, arbiter: Any, worker: Any) -> None:  # noqa: ARG002 - gunicorn's signature
        arbiter.in_child()

    def _child_exit(self, arbiter: Any, worker: Any) -> None:  # noqa: ARG002 - gunicorn's signature
        metric_files.retire(self.run_dir, worker.pid)
