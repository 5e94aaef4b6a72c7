"""What the processes of one server tell each other, through memory that a fork shares.

Made by the parent before it forks, so there is no file to leave behind and no lock that a killed process
could hold.
"""

from __future__ import annotations

import json
import mmap
import time
import zlib
from dataclasses import dataclass
from struct import Struct

SLOT_BYTES = 4096
"""One page: room for some thirty sentences; what does not fit is cut."""
_HEADER = Struct("<II")  # length and CRC-32 of what follows
READ_TRIES = 5
"""A reader that meets a half-written page looks again; writing one takes microseconds."""


class Flag:
    """A flag that the parent raises and its children see; it is never lowered."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)

    def raise_(self) -> None:
        """Raise it, for every process."""
        self._memory[0] = 1

    def __bool__(self) -> bool:
        return self._memory[0] == 1


@dataclass(frozen=True)
class Status:
    """What a worker last said of itself."""

    at: float
    """time.monotonic() of the writing, which all processes of a machine share."""
    missing: tuple[str, ...]
    """What it lacks to answer rightly; empty when ready."""

    def age_seconds(self) -> float:
        """How long ago it was said."""
        return time.monotonic() - self.at


class StatusPage:
    """One worker's page: written by it alone, read by the parent."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, SLOT_BYTES)
        self._last: Status | None = None

    def write(self, missing: list[str]) -> None:
        """Say what is missing, as of now."""
        kept = list(missing)
        body = _encode(kept)
        while len(body) > SLOT_BYTES - _HEADER.size:
            kept = [*kept[:-2], "…"] if len(kept) > 1 else [kept[0][: len(kept[0]) // 2]]
            body = _encode(kept)
        self._memory[: _HEADER.size + len(body)] = _HEADER.pack(len(body), zlib.crc32(body)) + body

    def read(self) -> Status | None:
        """What the worker last said; None before its first word."""
        for _ in range(READ_TRIES):
            length, checksum = _HEADER.unpack(self._memory[: _HEADER.size])
            body = self._memory[_HEADER.size : _HEADER.size + length]
            if length and zlib.crc32(body) == checksum:
                at, missing = json.loads(body)
                self._last = Status(at, tuple(missing))
                break
        return self._last


def _encode(missing: list[str]) -> bytes:
    return json.dumps([time.monotonic(), missing]).encode()
