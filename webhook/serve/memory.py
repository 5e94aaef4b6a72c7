"""Memory for large bodies, a budget while they are held and back to the system afterwards; and what stays."""

from __future__ import annotations

import ctypes
import gc
import threading
from functools import cache

LARGE_BYTES = 256 * 1024
"""What counts as large: some fifty times a usual review."""

_M_MMAP_THRESHOLD = -3  # of mallopt(3)


def return_large_blocks() -> bool:
    """Let the C library hand freed large blocks back to the system; True if it can.

    By default glibc takes the first large block that is freed as a sign of more to come and keeps the next
    ones, for every thread apart: bodies of 7 MiB would leave a process of 30 MiB at over 100 for ever.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES) == 1


@cache
def keep_for_good() -> None:
    """Spare the garbage collector what is loaded by now and will stay; once per process.

    It looks at every container that it knows, with everything else at a standstill: at the books of 5,000
    nodes for 0.2 s.
    """
    gc.collect()
    gc.freeze()


class MemoryBudget:
    """Bytes that may be held at once."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Reserve ``size`` bytes if there is room."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    def give_back(self, size: int) -> None:
        """Return what was reserved."""
        with self._lock:
            self._left += size
