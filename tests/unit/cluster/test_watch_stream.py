"""Watches over real sockets."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Timer
from typing import Any, cast

import pytest

from tests.unit.cluster.small_server import Connect, Handler, chunks, hang
from webhook.cluster.stream import EventStream, split_lines
from webhook.core.errors import ClusterUnavailable


def test_a_watch_yields_its_lines_however_they_are_cut(connect: Connect) -> None:
    answer = chunks(b'{"n":1}\n{"n"', b":2", b"}\n\n", b'{"n":3}\n', b'{"torn"')
    with connect(answer) as (_, connection):
        assert list(connection.watch("/api/v1/pods", {"watch": "true"}, 5)) == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_a_silent_watch_breaks(connect: Connect) -> None:
    def fall_silent(handler: Handler) -> None:
        handler.send_chunks(b'{"n":1}\n', end=False)
        hang(handler)

    with connect(fall_silent) as (_, connection):
        source = connection.watch("/api/v1/pods", {"watch": "true"}, 0.1)
        with pytest.raises(ClusterUnavailable, match="timed out"):
            list(source)


def test_a_watch_can_be_interrupted_from_another_thread(connect: Connect) -> None:
    def fall_silent(handler: Handler) -> None:
        handler.send_chunks(b'{"n":1}\n', end=False)
        hang(handler)

    with connect(fall_silent) as (_, connection):
        source = connection.watch("/api/v1/pods", {"watch": "true"}, 60)
        events = iter(source)
        next(events)
        Timer(0.05, source.interrupt).start()
        with pytest.raises(ClusterUnavailable):
            next(events)
        source.close()


def test_a_watch_line_that_is_no_json_breaks_it(connect: Connect) -> None:
    with connect(chunks(b"oops\n")) as (_, connection), pytest.raises(ClusterUnavailable):
        list(connection.watch("/api/v1/pods", {"watch": "true"}, 5))


def test_an_event_that_never_ends_breaks_the_watch() -> None:
    with pytest.raises(OSError, match="an event of more than 10 bytes"):
        list(split_lines(iter([b"12345\n", b"12345", b"678901"]), most=10))


def test_interrupting_a_watch_that_is_closed_does_nothing(connect: Connect) -> None:
    with connect(chunks(b'{"n":1}\n')) as (_, connection):
        source = connection.watch("/api/v1/pods", {"watch": "true"}, 5)
        source.close()
        source.interrupt()


class Torn:
    """A response whose TLS is gone when the next read begins, as a shutdown from another thread leaves it."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def stream(self, amount: int) -> Iterator[bytes]:
        yield b'{"n":1}\n'
        raise self._error

    def shutdown(self) -> None:
        """Nothing more than what `stream` shows."""


TORN = [
    ValueError("Read on closed or unwrapped SSL socket."),
    AttributeError("'NoneType' object has no attribute 'read'"),
]


@pytest.mark.parametrize("error", TORN)
def test_a_read_that_begins_at_the_moment_of_an_interruption_ends_like_any_other(error: Exception) -> None:
    source = EventStream(cast("Any", Torn(error)), lambda cause: ClusterUnavailable(f"broke: {cause}"))
    events = iter(source)
    next(events)
    source.interrupt()
    with pytest.raises(ClusterUnavailable, match="broke"):
        next(events)


def test_such_a_fault_without_an_interruption_is_not_hidden() -> None:
    source = EventStream(cast("Any", Torn(TORN[0])), lambda cause: ClusterUnavailable("broke"))
    with pytest.raises(ValueError, match="SSL socket"):
        list(source)
