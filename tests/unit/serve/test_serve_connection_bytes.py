"""However the bytes of a client are cut, and whatever they are."""

import socket

from gunicorn.config import Config
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.serve.channel import Channel
from webhook.serve.connection import Connection, Rules
from webhook.serve.exchange import parse_head, refusal
from webhook.serve.memory import MemoryBudget
from webhook.serve.phases import Next, Phase

CFG = Config()
RULES = Rules(
    parse_head=lambda head, client, number: parse_head(CFG, head, client, number),
    refuse=refusal,
    budget=MemoryBudget(0),
    max_body_bytes=10_000,
    keepalive_seconds=120,
)
HEAD = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n"


def serve(pieces: list[bytes]) -> tuple[list[bytes], Phase, bytes]:
    """Feed a connection piece by piece; the bodies that it read, where it stands, and what it sent."""
    server, client = socket.socketpair()
    conn = Connection(Channel(server, None), ("10.0.0.1", 1), ("10.0.0.2", 2), RULES, tls=False)
    bodies = []
    with client:
        for piece in pieces:
            client.sendall(piece)
            while conn.advance() is Next.ANSWER:
                bodies.append(conn.body)
                conn.answer(b"!", keep=True)
        client.setblocking(False)
        try:
            sent = client.recv(65536)
        except BlockingIOError:
            sent = b""
    conn.close()
    return bodies, conn.phase, sent


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False) if end > start]


@settings(max_examples=100, deadline=None)
@given(
    bodies=st.lists(st.binary(max_size=300), min_size=1, max_size=5),
    places=st.lists(st.integers(0, 5000), max_size=12),
)
def test_requests_are_read_the_same_however_their_bytes_are_cut(bodies, places):
    pieces = cut(b"".join(HEAD % len(body) + body for body in bodies), places)
    assert serve(pieces) == (bodies, Phase.IDLE, b"!" * len(bodies))


@settings(max_examples=100, deadline=None)
@given(noise=st.binary(min_size=1, max_size=2000), places=st.lists(st.integers(0, 2000), max_size=5))
def test_noise_is_refused_or_waited_for(noise, places):
    bodies, phase, sent = serve([*cut(noise, places), b"\r\n\r\n"])
    if not bodies:
        assert phase is Phase.LINGER
        assert sent.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5"))


@settings(max_examples=100, deadline=None)
@given(name=st.binary(max_size=40), value=st.binary(max_size=200))
def test_any_header_gets_an_answer(name, value):
    bodies, _, sent = serve([b"POST / HTTP/1.1\r\n" + name + b": " + value + b"\r\n\r\n"])
    assert bodies or sent.startswith(b"HTTP/1.1 ")
