"""What the figures were measured on, and how busy it was meanwhile."""

import os
import platform
from pathlib import Path


def describe() -> str:
    """Return one line: processor, cores, memory, Python, load."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    return (
        f"{_processor()}, {cores} cores, {memory:.0f} GiB; Python {platform.python_version()}; "
        f"load {os.getloadavg()[0]:.1f} at the start"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
