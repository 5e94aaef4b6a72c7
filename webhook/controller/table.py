"""One watched collection: its values, an index over them, and who is told of each real change."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

from webhook.cluster.store import Key

T = TypeVar("T")

Changed = Callable[[T | None, T | None], None]
"""Is told of a value before and after a change, None where there was or is none."""


def _equal(one: object, other: object) -> bool:
    return one == other


def _unknown(value: object) -> int:  # noqa: ARG001 - the default of `version`
    return 0


class Table(Generic[T]):
    """Filled by one watch, and by what the API server answers to our own writes, whichever is newer.

    `lock` is shared by the tables of one controller. What is told of changes is told with it held, so it must
    return at once.
    """

    def __init__(
        self,
        lock: AbstractContextManager[Any],
        changed: Changed[T],
        index: Callable[[T], str] | None = None,
        version: Callable[[T], int] = _unknown,
        same: Callable[[T, T], bool] = _equal,
    ) -> None:
        """`index` gives the one word by which values are also found; `version` grows with each change.

        `same` says of two values whether the change from one to the other is none.
        """
        self._lock = lock
        self._changed = changed
        self._index = index
        self._version = version
        self._same = same
        self._values: dict[Key, T] = {}
        self._found: dict[str, dict[Key, T]] = {}

    def replace(self, items: Iterable[tuple[Key, T]]) -> None:
        """Hold these values and no others."""
        fresh = dict(items)
        with self._lock:
            for key in self._values.keys() - fresh.keys():
                self._set(key, None)
            for key, value in fresh.items():
                self.put(key, value)

    def put(self, key: Key, value: T) -> None:
        """Hold a value, unless a later one of its object is known."""
        with self._lock:
            known = self._values.get(key)
            if known is None or self._version(value) >= self._version(known):
                self._set(key, value)

    def update(self, key: Key, value: T, *, tell: bool = False) -> None:
        """Hold what the API server has answered to a patch of ours; by default nobody is told.

        What is not known has gone meanwhile: its end came before the answer, and would not come again. So it
        is with what somebody else has changed just before the patch: the watch's news of it come too late.
        """
        with self._lock:
            if key in self._values:
                (self.put if tell else self.learn)(key, value)

    def learn(self, key: Key, value: T) -> None:
        """Hold what the API server has answered when we created something; nobody is told."""
        with self._lock:
            known = self._values.get(key)
            if known is None or self._version(value) > self._version(known):
                self._hold(key, value)

    def forget(self, key: Key) -> None:
        """Forget a value that we have deleted ourselves; nobody is told."""
        with self._lock:
            self._hold(key, None)

    def remove(self, key: Key) -> None:
        """Forget a value; nothing happens if it is not there."""
        with self._lock:
            self._set(key, None)

    def get(self, key: Key) -> T | None:
        """Return one value, or None."""
        with self._lock:
            return self._values.get(key)

    def of(self, word: str) -> list[T]:
        """Return the values of one word of the index."""
        with self._lock:
            return list(self._found.get(word, {}).values())

    def words(self) -> list[str]:
        """Return the words of the index."""
        with self._lock:
            return list(self._found)

    def all(self) -> list[T]:
        """Return all values."""
        with self._lock:
            return list(self._values.values())

    def _set(self, key: Key, value: T | None) -> None:
        before = self._values.get(key)
        if before is None and value is None:
            return
        self._hold(key, value)
        if before is None or value is None or not self._same(before, value):
            self._changed(before, value)

    def _hold(self, key: Key, value: T | None) -> None:
        before = self._values.get(key)
        if before is not None:
            self._drop(key, before)
        if value is not None:
            self._values[key] = value
            if self._index is not None:
                self._found.setdefault(self._index(value), {})[key] = value

    def _drop(self, key: Key, value: T) -> None:
        del self._values[key]
        if self._index is not None:
            word = self._index(value)
            same = self._found[word]
            del same[key]
            if not same:
                del self._found[word]
