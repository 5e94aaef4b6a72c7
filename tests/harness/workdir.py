"""The private folder of one run, in memory where there is one; folders of killed runs are swept away."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from pathlib import Path

PREFIX = "resourceclass-run-"
LOCK = ".lock"


class WorkDir:
    """A folder that only this process uses, for as long as it holds the lock file in it."""

    def __init__(self) -> None:
        parent = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
        _sweep(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._lock = (self.path / LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _sweep(parent: Path) -> None:
    """Removes folders whose owner is gone: the kernel has dropped its lock, so that we get it."""
    for lock in parent.glob(f"{PREFIX}*/{LOCK}"):
        try:
            with lock.open() as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # in use, another user's, or swept by a run beside this one
            continue
        shutil.rmtree(lock.parent, ignore_errors=True)
