"""What processes have used, as the kernel counts it."""

import os
from collections.abc import Iterable
from pathlib import Path

TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """Return the processes that a process has started: of the webhook, those that answer reviews."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time that these have used so far, all threads, user and system."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * TICK_SECONDS


def resident_mib(pid: int) -> float:
    """Return the memory that a process holds, what it shares with its parent included."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
