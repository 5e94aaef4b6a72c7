"""Log lines that are written a moment later, many at once."""

import logging
import os
from collections.abc import Iterator

import pytest

from webhook.serve.log_batches import MOST_LINES, WRITE_BYTES, Batches, pieces
from webhook.serve.logging import DescriptorHandler


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    os.set_blocking(ends[0], False)
    yield ends
    for end in ends:
        os.close(end)


def written(reader: int) -> bytes:
    try:
        return os.read(reader, 1 << 20)
    except BlockingIOError:
        return b""


def test_a_line_is_written_without_anybody_asking(pipe):
    reader, writer = pipe
    os.set_blocking(reader, True)
    Batches(writer).add(b"one\n", at_once=False)
    assert os.read(reader, 100) == b"one\n"


def test_an_urgent_line_is_written_at_once_after_those_before_it(pipe):
    reader, writer = pipe
    batches = Batches(writer)
    batches.add(b"one\n", at_once=False)
    batches.add(b"two\n", at_once=True)
    assert written(reader) == b"one\ntwo\n"


def test_too_many_lines_do_not_wait(pipe):
    reader, writer = pipe
    batches = Batches(writer)
    for _ in range(MOST_LINES + 1):
        batches.add(b"x\n", at_once=False)
    assert len(written(reader)) == 2 * (MOST_LINES + 1)


def test_lines_are_joined_to_what_a_pipe_takes_in_one_piece():
    line = b"x" * 999 + b"\n"
    assert [len(piece) for piece in pieces([line] * 9)] == [4000, 4000, 1000]


def test_a_line_that_is_longer_is_not_cut():
    long = b"x" * WRITE_BYTES + b"\n"
    assert pieces([b"a\n", long, b"b\n"]) == [b"a\n", long, b"b\n"]


def test_nothing_to_write_is_no_piece():
    assert pieces([]) == []


def test_a_handler_writes_warnings_at_once_and_the_rest_at_the_end(pipe):
    reader, writer = pipe
    handler = DescriptorHandler(writer)
    logger = logging.Logger("a")  # noqa: LOG001 - gone with the test
    logger.addHandler(handler)
    handler.start_batches()
    logger.info("first")
    logger.warning("second")
    assert written(reader).count(b"\n") == 2
    logger.info("third")
    handler.end_batches()
    assert b"third" in written(reader)
    logger.info("fourth")
    assert b"fourth" in written(reader)
