"""Requests through urllib3's pool: those that go through a proxy, and the opening of watches."""

from collections.abc import Callable
from typing import Final

import urllib3

from webhook.cluster.asked import Asked
from webhook.cluster.configuration import Access
from webhook.cluster.http_answer import Answer, BadAnswer
from webhook.cluster.kept import CONNECT_SECONDS, LEAST_SECONDS
from webhook.cluster.line import Clock

_CHUNK_BYTES: Final = 256 * 1024

Timeouts = Callable[[], urllib3.Timeout]
"""What is left of the time, asked before each attempt."""


def open_response(access: Access, asked: Asked, timeouts: Timeouts) -> urllib3.BaseHTTPResponse:
    """Send a request and return the answer, its body unread.

    A second attempt is for the kept connection that the server closed just as it was written to.
    """
    url = access.server + asked.target
    headers = urllib3.HTTPHeaderDict(access.headers())
    headers.extend(asked.headers)
    options = {
        "headers": headers,
        "body": asked.body,
        "retries": False,
        "preload_content": False,
    }
    try:
        return access.pool.request(asked.verb, url, timeout=timeouts(), **options)
    except urllib3.exceptions.ProtocolError:
        return access.pool.request(asked.verb, url, timeout=timeouts(), **options)


def exchange(access: Access, asked: Asked, seconds: float, most_bytes: int, clock: Clock) -> Answer:
    """Send a request and read the answer, within the same bounds as `KeptConnections.exchange`."""
    deadline = clock() + seconds

    def left() -> urllib3.Timeout:
        seconds_left = max(deadline - clock(), LEAST_SECONDS)
        return urllib3.Timeout(total=seconds_left, connect=min(CONNECT_SECONDS, seconds_left))

    response = open_response(access, asked, left)
    try:
        body = _body(response, deadline, most_bytes, clock)
    except BaseException:
        response.close()
        raise
    finally:
        response.release_conn()
    return Answer(response.status, response.reason or "", body, keeps_open=True)


def _body(response: urllib3.BaseHTTPResponse, deadline: float, most_bytes: int, clock: Clock) -> bytes:
    chunks: list[bytes] = []
    size = 0
    for chunk in response.stream(_CHUNK_BYTES):
        chunks.append(chunk)
        size += len(chunk)
        if size > most_bytes:
            raise BadAnswer(f"an answer of more than {most_bytes} bytes")
        if clock() > deadline:
            raise TimeoutError("the answer came too slowly")
    return b"".join(chunks)
