"""Requests that no API server sends, and what may be answered to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.concurrency.clients import HEAD

Json = dict[str, Any]

# Beside 4xx: a transfer coding and an HTTP version that are not known, and too many large bodies at once.
OTHER_STATUSES = {501, 503, 505}


def request(body: bytes, *, head: bytes = HEAD, length: int | None = None) -> bytes:
    """A whole request, after which the connection closes."""
    announced = len(body) if length is None else length
    return head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % announced + body


def answers(received: bytes) -> list[tuple[int, bytes]]:
    """Status and body of each answer in a stream."""
    found = []
    while received:
        head, _, rest = received.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", b"0"))
        found.append((int(head.split(b" ", 2)[1]), rest[:length]))
        received = rest[length:]
    return found


def assert_refused_or_judged(received: bytes) -> None:
    """Every answer is a 4xx of one plain line, or a verdict; none tells what the server is made of."""
    for status, body in answers(received):
        assert b"Traceback" not in body
        assert b".py" not in body
        if status == 200:
            assert isinstance(json.loads(body)["response"]["allowed"], bool)
        else:
            assert 400 <= status < 500 or status in OTHER_STATUSES, body
            assert body.count(b"\n") == 1, "a sentence, no page"


def bad_requests(review: Path) -> dict[str, bytes]:
    """One of each kind, by name."""
    good = review.read_bytes()
    document = json.loads(good)

    def with_request(**fields: Any) -> bytes:
        return request(json.dumps({**document, "request": {**document["request"], **fields}}).encode())

    host = b"POST /validate HTTP/1.1\r\nHost: localhost\r\n"
    return {
        "empty": request(b""),
        "not JSON": request(b"{" * 3000),
        "cut off": request(good[: len(good) // 2]),
        "100,000 lists": request(b"[" * 100_000 + b"]" * 100_000),
        "100,000 maps": request(b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        "deep in the object": with_request(object={"spec": nested(300)}),
        "huge number": request(b"9" * 1_000_000),
        "huge text": with_request(name="x" * 1_000_000),
        "huge key": with_request(object={"spec": {"containers": [asking({"k" * 1_000_000: "1"})]}}),
        "huge amount": with_request(object={"spec": {"containers": [asking({"a.b": "9" * 1_000_000})]}}),
        "many containers": with_request(object={"spec": {"containers": [asking({"a.b": "x"})] * 3_000}}),
        "bad UTF-8": request(good.replace(b"train", b"\xff\xfe\x80")),
        "half a surrogate": request(good.replace(b"train", rb"\ud800")),
        "NaN": request(good.replace(b'"1"', b"NaN")),
        "a list": request(b"[]"),
        "wrong kind": request(json.dumps({**document, "kind": "Pod"}).encode()),
        "v1beta1": request(json.dumps({**document, "apiVersion": "admission.k8s.io/v1beta1"}).encode()),
        "no request": request(json.dumps({**document, "request": None}).encode()),
        "object of a wrong type": with_request(object=[1]),
        "spec of a wrong type": with_request(object={"spec": "x", "metadata": 1}),
        "operation of a wrong type": with_request(operation=["CREATE"]),
        "wrong content type": request(good, head=host + b"Content-Type: text/html\r\n"),
        "unknown path": request(good, head=HEAD.replace(b"/validate", b"/etc/passwd")),
        "wrong method": request(good, head=HEAD.replace(b"POST", b"DELETE")),
        "timeout of nonsense": request(good, head=HEAD.replace(b"/validate", b"/validate?timeout=-1e9y")),
        "chunked": HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "two lengths": HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "negative length": HEAD + b"Content-Length: -1\r\n\r\n",
        "absurd length": HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
        "length beyond the cap": HEAD + b"Content-Length: 99999999\r\n\r\n" + b"x" * 100_000,
        "header of 60 KB": HEAD + b"A: " + b"x" * 60_000 + b"\r\n\r\n",
        "a thousand headers": HEAD + b"A: x\r\n" * 1000 + b"\r\n",
        "line feeds alone": HEAD.replace(b"\r\n", b"\n") + b"\n\r\n\r\n",
        "folded header": HEAD + b"A: x\r\n y\r\nContent-Length: 0\r\n\r\n",
        "NUL in a header": HEAD + b"A: \x00\r\nContent-Length: 0\r\n\r\n",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "no HTTP": b"\x16\x03\x01\r\n\r\n",
        "two in one piece": HEAD + b"Content-Length: 2\r\n\r\n{}" + request(good),
    }


def nested(depth: int) -> Json:
    document: Json = {}
    for _ in range(depth):
        document = {"a": document}
    return document


def asking(limits: Json) -> Json:
    return {"name": "c", "resources": {"limits": limits}}
