"""The life of a controller: it watches, and while it holds the Lease its workers do what is to be done."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final, Protocol

from webhook.cluster.api import ApiError
from webhook.cluster.watch_group import WatchGroup
from webhook.controller.election import Elector
from webhook.controller.queue import Key, WorkQueue
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.serve.logging import FIELDS, Repeated

# An API server that does not answer is not asked again by a worker for so long.
PAUSE_SECONDS: Final = 1.0
# A worker ends after the write that it is at: WRITE_SECONDS of writing.py, and one more.
STOP_SECONDS: Final = 5.0

_log: Final = logging.getLogger(__name__)
_failures: Final = Repeated(_log)

Work = Callable[[str], float | None]
"""Brings what a key names up to date; returns after how many seconds to look again, None if for no reason.

Raises ClusterUnavailable, and NotReady when this process may not write now.
"""


class Report(Protocol):
    """Who is told what came of the work."""

    def worked(self, kind: str, result: str) -> None:
        """Take note of one piece of work; `result` is one word of a small set."""


@dataclass(frozen=True)
class Controller:
    """One controller. Start it after a fork."""

    watches: WatchGroup
    queue: WorkQueue
    elector: Elector
    works: Mapping[str, Work]
    report: Report
    threads: int
    _workers: list[Thread] = field(default_factory=list)
    _stopping: Event = field(default_factory=Event)

    def start(self) -> None:
        """Begin to watch, to try for the Lease and to work; returns at once."""
        self.watches.start()
        for number in range(self.threads):
            worker = Thread(target=self._work, name=f"worker-{number}", daemon=True)
            self._workers.append(worker)
            worker.start()
        self.elector.start()

    def close(self) -> None:
        """Stop in this order: no more writes, then the Lease is given up, then nothing is watched."""
        self._stopping.set()
        self.queue.close()
        until = time.monotonic() + STOP_SECONDS
        for worker in self._workers:
            worker.join(max(0.0, until - time.monotonic()))
        self.elector.close()
        self.watches.close()

    def not_ready(self) -> Sequence[str]:
        """Return what has not been listed yet; one that stands by is ready too."""
        return self.watches.not_ready()

    def _work(self) -> None:
        while (key := self.queue.get()) is not None:
            try:
                self.report.worked(key.kind, self._try(key))
            finally:
                self.queue.done(key)

    def _try(self, key: Key) -> str:
        """Do the work of a key once, and see to it that it is done again where that is due."""
        try:
            seconds = self.works[key.kind](key.name)
        except NotReady:
            result = "not_ready"
        except ApiError as error:
            _failures.warn(f"{key.kind} {key.name} could not be brought up to date".replace("  ", " "), error)
            result = "refused"
        except ClusterUnavailable as error:
            _failures.warn("the API server does not answer", error)
            self._stopping.wait(PAUSE_SECONDS)
            result = "cluster_unavailable"
        except Exception as error:  # noqa: BLE001 - whatever it is, the worker must live for the other keys
            _log.error("fault in the controller itself", extra={FIELDS: key._asdict()}, exc_info=error)
            result = "internal_error"
        else:
            self.queue.succeeded(key)
            if seconds is not None:
                self.queue.add_after(key, seconds)
            return "done"
        self.queue.failed(key)
        return result
