"""The files through which the processes of one server share their metrics.

``prometheus_client`` keeps the values of each process in memory-mapped files of one directory, which it takes
from an environment variable. The directory is one run's own, made and named here, so that nobody has to set
anything.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prometheus_client import Metric

DIRECTORY_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PAST = 0
"""In place of a process id: the sums of processes that have ended."""


def enable(directory: Path) -> None:
    """Share the metrics of this process and its children; to be called before the first is made."""
    os.environ[DIRECTORY_VARIABLE] = str(directory)
    from prometheus_client import values

    # The class is chosen at import, and somebody may have imported it before us.
    values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]


def exposition(directory: Path) -> bytes:
    """The metrics of all processes, living and past, in the text format."""
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector
    from prometheus_client.registry import Collector

    class Files(Collector):
        """As ``MultiProcessCollector``, which stumbles on a file that has just come into being."""

        def collect(self) -> Iterable[Metric]:
            # A process creates a file and then, in a step of its own, gives it its full size.
            begun = [str(path) for path in directory.glob("*.db") if path.stat().st_size]
            merged: Iterable[Metric] = MultiProcessCollector.merge(begun)  # type: ignore[no-untyped-call]
            return merged

    registry = CollectorRegistry()
    registry.register(Files())
    return generate_latest(registry)


def retire(directory: Path, pid: int) -> None:
    """Add what an ended process has counted to the sums of the past, and forget its gauges.

    Counters must never fall, so its files stay as they are if they cannot be read.
    """
    from prometheus_client.mmap_dict import MmapedDict

    for path in directory.glob(f"gauge_*_{pid}.db"):
        path.unlink(missing_ok=True)
    for kind in ("counter", "histogram"):
        path = directory / f"{kind}_{pid}.db"
        with contextlib.suppress(OSError, RuntimeError, ValueError, struct.error):
            ended = list(MmapedDict.read_all_values_from_file(path))  # type: ignore[no-untyped-call]
            past = MmapedDict(str(directory / f"{kind}_{PAST}.db"))  # type: ignore[no-untyped-call]
            for key, value, _, _ in ended:
                past.write_value(key, past.read_value(key)[0] + value, 0.0)  # type: ignore[no-untyped-call]
            past.close()  # type: ignore[no-untyped-call]
            path.unlink()
