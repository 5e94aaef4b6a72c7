"""Answers of a server, byte for byte: what is read of them, and what is none."""

from __future__ import annotations

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


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "closed before the end"),
        (b"HTTP/1.1 200 OK\r\nContent-Le", "closed before the end"),
        (head(OK, "Content-Length: 4") + b"abc", "closed before the end"),
        (head(OK, "Transfer-Encoding: chunked") + b"3\r\nabc\r\n", "closed before the end"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "no answer in HTTP/1.1"),
        (head("HTTP/1.1 100 Continue"), "no answer in HTTP/1.1"),
        (head("HTTP/1.1 20x OK"), "no answer in HTTP/1.1"),
        (head("HTTP/2 200"), "no answer in HTTP/1.1"),
        (head(OK, "Content-Length: -3"), "an answer of b'-3' bytes"),
        (head(OK, "Content-Length: 3, 3"), "an answer of"),
        (head(OK, "Content-Length: 101"), "more than the 100 bytes"),
        (head(OK, "Transfer-Encoding: gzip"), "transfer coding b'gzip'"),
        (head(OK, "Transfer-Encoding: chunked") + b"-1\r\n", "a chunk of b'-1' bytes"),
        (head(OK, "Transfer-Encoding: chunked") + b"0x3\r\n", "a chunk of"),
        (head(OK, "Transfer-Encoding: chunked") + b"1\r\nabc\r\n", "longer than it says"),
        (head(OK, "Transfer-Encoding: chunked") + b"60\r\n%096d\r\n5\r\n" % 0, "more than the 4 bytes"),
        (head(OK) + b"x" * 101, "more than the 100 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_an_error(answer: bytes, words: str) -> None:
    with pytest.raises(BadAnswer, match=words):
        read(answer)


def test_a_head_without_an_end_is_given_up() -> None:
    with pytest.raises(BadAnswer, match="no end of a head"):
        read(b"HTTP/1.1 200 OK\r\n" + b"x" * MAX_HEAD_BYTES)
