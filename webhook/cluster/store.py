"""The memory of one watched resource: what is kept of each object, by namespace and name."""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

Key = tuple[str, str]
"""Namespace (empty for objects that stand in none) and name."""


class Store(Generic[T]):
    """Written by one list-watch, read by many request threads. Values are never changed in place."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_namespace: dict[str, dict[str, T]] = {}
        self._generation = 0

    def replace(self, items: Iterable[tuple[Key, T]]) -> None:
        """Forget everything and hold `items`, in one step."""
        fresh: dict[str, dict[str, T]] = {}
        for (namespace, name), value in items:
            fresh.setdefault(namespace, {})[name] = value
        with self._lock:
            self._by_namespace = fresh
            self._generation += 1

    def put(self, key: Key, value: T) -> None:
        """Hold `value`; the generation moves only if it is new, so that what is derived stays valid."""
        namespace, name = key
        with self._lock:
            names = self._by_namespace.setdefault(namespace, {})
            if names.get(name) != value:
                names[name] = value
                self._generation += 1

    def remove(self, key: Key) -> None:
        """Forget an object; nothing happens if it is not there."""
        namespace, name = key
        with self._lock:
            names = self._by_namespace.get(namespace, {})
            if names.pop(name, None) is not None:
                self._generation += 1
            if not names:
                self._by_namespace.pop(namespace, None)

    def get(self, key: Key) -> T | None:
        """Return one value, or None."""
        namespace, name = key
        with self._lock:
            return self._by_namespace.get(namespace, {}).get(name)

    def of_namespace(self, namespace: str) -> list[T]:
        """Return the values of one namespace."""
        with self._lock:
            return list(self._by_namespace.get(namespace, {}).values())

    def snapshot(self) -> tuple[int, list[T]]:
        """Return all values, and the generation that grows with every change of them."""
        with self._lock:
            return self._generation, [v for names in self._by_namespace.values() for v in names.values()]

    @property
    def generation(self) -> int:
        """A number that grows with every change."""
        with self._lock:
            return self._generation


class Derived(Generic[T, R]):
    """Something computed from all values of a store, and computed again only after a change."""

    def __init__(self, store: Store[T], compute: Callable[[list[T]], R]) -> None:
        self._store = store
        self._compute = compute
        self._result: tuple[int, R] | None = None

    def get(self) -> R:
        """Return the result for the present values. Two threads may both compute it: the same result."""
        held = self._result
        if held is not None and held[0] == self._store.generation:
            return held[1]
        generation, values = self._store.snapshot()
        result = self._compute(values)
        self._result = (generation, result)
        return result
