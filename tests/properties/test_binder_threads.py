"""Threads that filter, bind, fail, delete and settle over one set of books: no device is given twice."""

from __future__ import annotations

import pytest

from tests.properties.binder_threads import play


@pytest.mark.parametrize("seed", range(4))
def test_threads_never_give_a_device_twice_and_leave_nothing_held(seed: int) -> None:
    play(seed)
