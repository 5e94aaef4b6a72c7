"""Logs: one JSON object per line on standard error, for ours and for gunicorn's.

Never an object, an environment variable or a token: callers name what they log, field by field.
"""

from __future__ import annotations

import contextlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import orjson

from webhook.serve.log_batches import Batches, write_all

STDERR = 2
REPEAT_SECONDS = 60.0
# Messages name objects, of which there are ever new ones: beyond so many, those of long ago are forgotten.
MOST_REMEMBERED = 1000
FIELDS = "fields"
"""Attribute of a log record that holds its fields."""


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=str)
"""For what orjson does not write: half a surrogate pair, an integer of more than 64 bits."""


@lru_cache(maxsize=2)
def _to_the_second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON: time, level, logger, message, pid, then the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON, without a line break."""
        return self.line(record).decode()

    def line(self, record: logging.LogRecord) -> bytes:
        """The same in UTF-8."""
        line: dict[str, Any] = {
            "time": f"{_to_the_second(int(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "pid": record.process,
        }
        line.update(getattr(record, FIELDS, {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        try:
            return orjson.dumps(line, default=str)
        except TypeError:
            return _ENCODER.encode(line).encode("utf-8", "backslashreplace")


class DescriptorHandler(logging.Handler):
    """Writes UTF-8 to a file descriptor, whatever the locale.

    At once, until :meth:`start_batches`: what is held back when a process forks would be written twice.
    """

    def __init__(self, descriptor: int = STDERR) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._formatter = JsonFormatter()
        self.setFormatter(self._formatter)
        self._batches: Batches | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record; a log that cannot be written never stops the server."""
        try:
            line = self._formatter.line(record) + b"\n"
        except Exception:  # noqa: BLE001 - what logging asks of a handler
            self.handleError(record)
            return
        batches = self._batches
        if batches is None:
            write_all(self._descriptor, line)
        else:
            batches.add(line, at_once=record.levelno >= logging.WARNING)

    def start_batches(self) -> None:
        """Write lines below warnings a moment later and several at once. Not in a process that forks."""
        self._batches = Batches(self._descriptor)

    def end_batches(self) -> None:
        """Write what is held back, and from now on every line at once."""
        batches, self._batches = self._batches, None
        if batches is not None:
            batches.flush()


def setup(level: str = "info", descriptor: int = STDERR) -> None:
    """Send the logs of this process, and of those it forks, through the JSON handler."""
    root = logging.getLogger()
    root.handlers[:] = [DescriptorHandler(descriptor)]
    root.setLevel(level.upper())
    logging.captureWarnings(True)


@contextlib.contextmanager
def batches() -> Iterator[None]:
    """Let the handler of this process write in batches for a while; it writes the last one at the end."""
    handlers = [each for each in logging.getLogger().handlers if isinstance(each, DescriptorHandler)]
    for handler in handlers:
        handler.start_batches()
    try:
        yield
    finally:
        for handler in handlers:
            handler.end_batches()


class Repeated:
    """For what a client can cause with every call: each message at most once a minute."""

    def __init__(self, logger: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._logger = logger
        self._clock = clock
        self._last: dict[str, float] = {}

    def __len__(self) -> int:
        """How many messages are remembered."""
        return len(self._last)

    def warn(self, message: str, error: Exception | None = None) -> None:
        """Log the message and its latest cause."""
        now = self._clock()
        if now >= self._last.get(message, -REPEAT_SECONDS) + REPEAT_SECONDS:
            if len(self._last) >= MOST_REMEMBERED:
                known = list(self._last.items())  # at one go: other threads warn too
                self._last = {text: at for text, at in known if now < at + REPEAT_SECONDS}
            self._last[message] = now
            fields = {} if error is None else {"error": str(error)}
            event(self._logger, logging.WARNING, message, **fields)


def event(logger: logging.Logger, level: int, message: str, **fields: object) -> None:
    """Log ``message`` with fields beside it in the line: ``event(log, INFO, "denied", quota="q")``."""
    if logger.isEnabledFor(level):
        # Not through logger.log, which walks the stack to find the caller: no line of ours names it.
        record = logger.makeRecord(logger.name, level, "", 0, message, (), None, extra={FIELDS: fields})
        logger.handle(record)
