"""One read for all who asked before it began.

Pods come in bursts: a Job makes a hundred in a namespace, and each of them needs the quotas as they are now.
Whoever asks while a read is under way cannot use that one, which may show a state from before the question;
but all who wait for it to end can share the next. So a burst costs the API server one read at a time.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

from webhook.core.errors import ClusterUnavailable

T = TypeVar("T")


class Read(Generic[T]):
    """One read of one thing, by whoever first asks for its result. `before` is the read that it waits for."""

    def __init__(self, key: str, before: "Read[T] | None") -> None:
        self.key = key
        self.before = before
        self.begun = False
        self.lock = Lock()  # held while it is carried out
        self.found: list[T] = []
        self.error: ClusterUnavailable | None = None


class SharedReads(Generic[T]):
    """Reads of things by key, each as it is at some moment after the question. Safe for many threads."""

    def __init__(self, read: Callable[[str], T]) -> None:
        """`read` is bounded in time; nobody waits for more than two of them."""
        self._read = read
        self._lock = Lock()
        self._latest: dict[str, Read[T]] = {}

    def get(self, key: str) -> T:
        """Return what `read` gives now. Raises ClusterUnavailable, to all who share a read that failed."""
        return self.result(self.ask(key))

    def ask(self, key: str) -> Read[T]:
        """Return the next read of `key` that begins."""
        with self._lock:
            latest = self._latest.get(key)
            if latest is None or latest.begun:
                latest = self._latest[key] = Read(key, latest)
            return latest

    def result(self, read: Read[T]) -> T:
        """Return what was read; the first to come here carries it out."""
        with read.lock:
            if not read.found and read.error is None:
                self._carry_out(read)
            if read.error is not None:
                raise read.error
            return read.found[0]

    def _carry_out(self, read: Read[T]) -> None:
        if read.before is not None:
            with read.before.lock:  # until that one has ended
                read.before = None
        with self._lock:
            read.begun = True
        try:
            read.found.append(self._read(read.key))
        except ClusterUnavailable as error:
            read.error = error
        finally:
            with self._lock:
                if self._latest.get(read.key) is read:
                    del self._latest[read.key]
