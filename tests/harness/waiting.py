"""Waiting for something to become true: it polls, it has a deadline, and it says what it waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

POLL_SECONDS = 0.05

T = TypeVar("T")


def until(check: Callable[[], T], what: str, seconds: float = 20.0) -> T:
    """Calls check until it returns something true, and returns that. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise TimeoutError(f"not within {seconds:g} s: {what}; last seen: {value!r}")
        time.sleep(POLL_SECONDS)


def holds(check: Callable[[], T], what: str, seconds: float) -> None:
    """Watches that check stays true: for what must *not* happen. Raises AssertionError."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = check()
        assert value, f"stopped within {seconds:g} s: {what}; last seen: {value!r}"
        time.sleep(POLL_SECONDS)
