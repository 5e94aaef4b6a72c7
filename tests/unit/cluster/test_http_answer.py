"""Answers of a server, byte for byte: what is read of them, and what is none."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable

import pytest

from webhook.cluster.http_answer import MAX_HEAD_BYTES, Answer, BadAnswer, read_answer

MOST = 100


def coming(parts: Iterable[bytes]) -> Callable[[], bytes]:
    left = iter(parts)
    return lambda: next(left, b"")


def read(*parts: bytes) -> Answer:
    return read_answer(coming(parts), MOST)


def head(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode()


OK = "HTTP/1.1 200 OK"
SIZED = head(OK, "Content-Length: 3") + b"abc"
CHUNKED = head(OK, "transfer-encoding: Chunked") + b"2;x=y\r\nab\r\n1\r\nc\r\n0\r\nTrailer: t\r\n\r\n"


@pytest.mark.parametrize("answer", [SIZED, CHUNKED])
def test_an_answer_is_read_in_whatever_pieces_it_comes(answer: bytes) -> None:
    whole = Answer(200, "OK", b"abc", keeps_open=True)
    assert read(answer) == whole
    assert read(*(answer[at : at + 1] for at in range(len(answer)))) == whole


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (head("HTTP/1.0 200 OK", "Content-Length: 3") + b"abc", b"abc"),
        (head(OK, "Content-Length: 3", "Connection: Close") + b"abc", b"abc"),
        (SIZED + b"HTTP/1.1 ", b"abc"),
        (head(OK) + b"until the end", b"until the end"),
    ],
    ids=["HTTP/1.0", "the server says so", "more came than was asked for", "the end is that of the stream"],
)
def test_a_connection_is_not_kept_after(answer: bytes, body: bytes) -> None:
    answered = read(answer)
    assert (answered.body, answered.keeps_open) == (body, False)


def test_an_answer_without_a_body_has_an_end() -> None:
    assert read(head("HTTP/1.1 204 No Content")) == Answer(204, "No Content", b"", keeps_open=True)


def test_an_answer_need_not_give_its_reason_in_words() -> None:
    assert read(head("HTTP/1.1 404 ", "Content-Length: 0")).reason == ""
    assert read(head("HTTP/1.1 404", "Content-Length: 0")).status == 404


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_an_answer_that_has_no_body_may_still_give_a_length(status: str) -> None:
    answered = read(head(f"HTTP/1.1 {status}", "Content-Length: 3"))
    assert (answered.body, answered.keeps_open) == (b"", True)


@pytest.mark.parametrize("cut", range(1, len(SIZED)))
def test_a_second_answer_behind_the_first_adds_nothing_to_it(cut: int) -> None:
    both = SIZED + head("HTTP/1.1 500 No", "Content-Length: 4") + b"fake"
    assert read(both[:cut], both[cut:]) == Answer(200, "OK", b"abc", keeps_open=False)


@pytest.mark.parametrize("length", ["3 ", "0" * 5000 + "3"], ids=["with a space", "with zeros"])
def test_a_length_may_be_written_oddly(length: str) -> None:
    assert read(head(OK, f"Content-Length: {length}") + b"abc").body == b"abc"


def test_a_header_may_be_empty() -> None:
    assert read(head(OK, "Audit-Id:", "Content-Length: 3") + b"abc").body == b"abc"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "closed before the end"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "closed before the end"),
        (head(OK, "Content-Length: 4") + b"abc", "closed before the end"),
        (head(OK, "Transfer-Encoding: chunked") + b"3\r\nabc\r\n", "closed before the end"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "no answer in HTTP/1.1 but b'SSH-2.0-OpenSSH"),
        (head("HTTP/1.1 100 Continue"), "no answer in HTTP/1.1 but the status 100"),
        (head("HTTP/1.1 101 Switching Protocols", "Connection: upgrade", "Upgrade: h2c"), "the status 101"),
        (head("HTTP/1.1 600 Beyond", "Content-Length: 0"), "no answer in HTTP/1.1"),
        (head("HTTP/1.1 20x OK"), "no answer in HTTP/1.1"),
        (head("HTTP/2 200"), "no answer in HTTP/1.1"),
        (head("HTTP/2.0 200 OK", "Content-Length: 0"), "no answer in HTTP/1.1"),
        (b"HTTP/1.1 200 OK\nContent-Length: 0\n\n", "no answer in HTTP/1.1"),
        (head(OK, "Content-Length: -3"), "Content-Length"),
        (head(OK, "Content-Length: 3, 3"), "Content-Length"),
        (head(OK, "Content-Length: 3", "Content-Length: 4") + b"abc", "Content-Length"),
        (head(OK, "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n", "Content-Length"),
        (head(OK, "Content-Length: 101"), "more than 100 bytes"),
        (head(OK, "Transfer-Encoding: gzip"), "transfer coding b'gzip'"),
        (head(OK, "Transfer-Encoding: gzip, chunked"), "transfer coding b'gzip, chunked'"),
        (head(OK, "Transfer-Encoding: chunked") + b"-1\r\n", "broken body: .* chunk size"),
        (head(OK, "Transfer-Encoding: chunked") + b"0x3\r\n", "broken body: .* chunk size"),
        (head(OK, "Transfer-Encoding: chunked") + b"1\r\nabc\r\n", "broken body: .* after chunk data"),
        (head(OK, "Transfer-Encoding: chunked") + b"60\r\n%096d\r\n5\r\nabcde" % 0, "more than 100 bytes"),
        (head(OK) + b"x" * 101, "more than 100 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_an_error(answer: bytes, words: str) -> None:
    with pytest.raises(BadAnswer, match=words):
        read(answer)


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\n",
        head(OK, "Transfer-Encoding: chunked") + b"3;",
        head(OK, "Transfer-Encoding: chunked") + b"3\r\nabc\r\n0\r\n",
    ],
    ids=["a head", "a chunk's size", "headers behind the body"],
)
def test_what_has_no_end_is_given_up(start: bytes) -> None:
    with pytest.raises(BadAnswer, match="no end of a head"):
        read(start, *[b"x" * 1024] * (MAX_HEAD_BYTES // 1024 + 1))


def test_what_was_read_is_freed_at_once() -> None:
    gc.collect()
    gc.disable()
    try:
        read(SIZED)
        assert gc.collect() == 0
    finally:
        gc.enable()
