"""Logs: one JSON object per line on standard error, for ours and for gunicorn's.

Never an object, an environment variable or a token: callers name what they log, field by field.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from typing import Any

STDERR = 2
REPEAT_SECONDS = 60.0
FIELDS = "fields"
"""Attribute of a log record that holds its fields."""


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON: time, level, logger, message, pid, then the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON, without a line break."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "pid": record.process,
        }
        line.update(getattr(record, FIELDS, {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return _ENCODER.encode(line)


class DescriptorHandler(logging.Handler):
    """Writes UTF-8 to a file descriptor, whatever the locale, one write per line.

    One write keeps lines of several processes apart (a pipe takes up to 4,096 bytes in one piece). There is
    no buffer, so nothing is written twice after a fork.
    """

    def __init__(self, descriptor: int = STDERR) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.setFormatter(JsonFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; a log that cannot be written never stops the server."""
        try:
            line = memoryview((self.format(record) + "\n").encode("utf-8", "backslashreplace"))
        except Exception:  # noqa: BLE001 - what logging asks of a handler
            self.handleError(record)
            return
        with contextlib.suppress(OSError):
            while line:
                line = line[os.write(self._descriptor, line) :]


def setup(level: str = "info", descriptor: int = STDERR) -> None:
    """Send the logs of this process, and of those it forks, through the JSON handler."""
    root = logging.getLogger()
    root.handlers[:] = [DescriptorHandler(descriptor)]
    root.setLevel(level.upper())
    logging.captureWarnings(True)


class Repeated:
    """For what a client can cause with every call: each message at most once a minute."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._last: dict[str, float] = {}

    def warn(self, message: str, error: Exception) -> None:
        """Log the message and its latest cause."""
        now = time.monotonic()
        if now >= self._last.get(message, -REPEAT_SECONDS) + REPEAT_SECONDS:
            self._last[message] = now
            event(self._logger, logging.WARNING, message, error=str(error))


def event(logger: logging.Logger, level: int, message: str, **fields: object) -> None:
    """Log ``message`` with fields beside it in the line: ``event(log, INFO, "denied", quota="q")``."""
    logger.log(level, message, extra={FIELDS: fields}, stacklevel=2)
