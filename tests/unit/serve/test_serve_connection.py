import socket
import time

import pytest

from webhook.serve import phases
from webhook.serve.channel import Channel
from webhook.serve.connection import Connection, Rules
from webhook.serve.limits import Refused
from webhook.serve.memory import MemoryBudget
from webhook.serve.phases import Next, Phase


class Head:
    def __init__(self, data: bytes) -> None:
        lines = data.decode().split("\r\n")[1:-2]
        self.headers = [(name.upper(), value) for name, value in (line.split(": ") for line in lines)]
        self._expected_100_continue = ("EXPECT", "100-continue") in self.headers


@pytest.fixture
def budget():
    return MemoryBudget(1_000_000)


@pytest.fixture
def pair(budget):
    """A connection and the client's end of it."""
    server, client = socket.socketpair()
    rules = Rules(
        parse_head=lambda data, _client, _number: Head(data),
        refuse=lambda refused: f"{refused.status}".encode(),
        budget=budget,
        max_body_bytes=2_000_000,
        keepalive_seconds=120,
    )
    conn = Connection(Channel(server, None), "client", "server", rules, tls=False)
    client.settimeout(5)
    with client:
        yield conn, client
    conn.close()


def request(length: int, body: bytes = b"", more: bytes = b"") -> bytes:
    return b"POST / HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (more, length, body)


def test_a_silent_connection_waits_as_long_as_keep_alive_lasts(pair):
    conn, _ = pair
    assert conn.advance() is Next.WAIT
    assert conn.phase is Phase.IDLE
    assert conn.timeout == pytest.approx(time.monotonic() + 120, abs=1)


def test_a_whole_request_is_ready_to_be_answered(pair):
    conn, client = pair
    client.sendall(request(3, b"abc"))
    assert conn.advance() is Next.ANSWER
    assert conn.body == b"abc"


def test_a_request_in_single_bytes_is_put_together(pair):
    conn, client = pair
    steps = []
    for byte in request(3, b"abc"):
        client.sendall(bytes([byte]))
        steps.append(conn.advance())
    assert steps == [Next.WAIT] * (len(steps) - 1) + [Next.ANSWER]
    assert conn.body == b"abc"


def test_half_a_head_has_a_deadline_from_its_first_byte(pair):
    conn, client = pair
    client.sendall(b"POST / HT")
    conn.advance()
    first = conn.timeout
    client.sendall(b"TP/1.1")
    conn.advance()
    assert conn.phase is Phase.HEAD
    assert conn.timeout == first == pytest.approx(conn.received + phases.HEAD_SECONDS)


def test_half_a_body_has_a_deadline_from_the_first_byte_of_the_request(pair):
    conn, client = pair
    client.sendall(request(10, b"half"))
    conn.advance()
    assert conn.phase is Phase.BODY
    assert conn.timeout == pytest.approx(conn.received + phases.BODY_SECONDS)


def test_the_wait_for_a_thread_counts_from_when_the_poller_noticed(pair):
    conn, client = pair
    conn.noticed = time.monotonic() - 7
    client.sendall(request(0))
    conn.advance()
    assert time.monotonic() - conn.received == pytest.approx(7, abs=0.5)


def test_an_answer_that_keeps_the_connection_leaves_it_idle(pair):
    conn, client = pair
    client.sendall(request(0))
    conn.advance()
    conn.answer(b"answer", keep=True)
    assert conn.advance() is Next.WAIT
    assert conn.phase is Phase.IDLE
    assert client.recv(100) == b"answer"


def test_a_request_at_hand_waits_for_its_answer(pair):
    conn, client = pair
    client.sendall(request(1, b"1") + request(1, b"2"))
    assert [conn.advance(), conn.advance()] == [Next.ANSWER, Next.ANSWER]
    assert conn.body == b"1"


def test_a_request_that_came_with_the_one_before_is_next(pair):
    conn, client = pair
    client.sendall(request(1, b"1") + request(1, b"2"))
    conn.advance()
    conn.answer(b"answer", keep=True)
    assert conn.advance() is Next.ANSWER
    assert conn.body == b"2"


def test_an_answer_that_ends_the_connection_lingers_until_the_client_is_done(pair):
    conn, client = pair
    client.sendall(request(0))
    conn.advance()
    conn.answer(b"answer", keep=False)
    assert conn.advance() is Next.WAIT
    assert conn.phase is Phase.LINGER
    assert client.recv(100) == b"answer"
    assert client.recv(100) == b""
    client.close()
    assert conn.advance() is Next.CLOSE


def test_what_comes_after_the_end_is_thrown_away(pair):
    conn, client = pair
    client.sendall(request(0))
    conn.advance()
    conn.answer(b"answer", keep=False)
    conn.advance()
    client.sendall(request(0))
    assert conn.advance() is Next.WAIT
    assert conn.phase is Phase.LINGER


def test_an_answer_larger_than_the_network_takes_waits_to_be_written(pair):
    conn, client = pair
    client.sendall(request(0))
    conn.advance()
    answer = bytes(range(256)) * 40_000
    conn.answer(answer, keep=True)
    received = bytearray()
    assert conn.advance() is Next.WAIT
    assert conn.phase is Phase.WRITE
    while len(received) < len(answer):
        received += client.recv(65536)
        conn.advance()
    assert received == answer


@pytest.mark.parametrize("said", [b"", b"POST / HT", request(10, b"half")])
def test_a_client_that_leaves_is_left(pair, said):
    conn, client = pair
    client.sendall(said)
    client.close()
    assert conn.advance() is Next.CLOSE


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (request(2_000_001), b"413"),
        (request(1_500_000), b"503"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"x" * (phases.MAX_HEAD_BYTES + 1), b"431"),
    ],
)
def test_a_request_that_is_not_taken_is_answered_and_the_connection_ends(pair, said, status):
    conn, client = pair
    client.sendall(said)
    conn.advance()
    assert conn.phase is Phase.LINGER
    assert client.recv(100) == status


def test_a_head_that_cannot_be_parsed_is_refused():
    def parse(*_):
        raise Refused((400, "malformed"), "no")

    server, client = socket.socketpair()
    rules = Rules(parse, lambda refused: refused.message.encode(), MemoryBudget(0), 10, 120)
    conn = Connection(Channel(server, None), "", "", rules, tls=False)
    with client:
        client.sendall(b"nonsense\r\n\r\n")
        conn.advance()
        assert client.recv(10) == b"no"
    conn.close()


def test_a_large_body_takes_from_the_budget_until_it_is_answered(pair, budget):
    conn, client = pair
    client.sendall(request(900_000))
    conn.advance()
    assert not budget.take(100_001)
    conn.answer(b"", keep=True)
    assert budget.take(1_000_000)


def test_a_large_body_that_never_comes_gives_its_budget_back(pair, budget):
    conn, client = pair
    client.sendall(request(900_000))
    conn.advance()
    conn.close()
    assert budget.take(1_000_000)


def test_a_usual_body_needs_no_budget(pair, budget):
    conn, client = pair
    budget.take(1_000_000)
    client.sendall(request(100_000))
    assert conn.advance() is Next.WAIT
    assert conn.phase is Phase.BODY


def test_a_client_that_asks_whether_to_send_is_told_so_once(pair):
    conn, client = pair
    client.sendall(request(3, more=b"Expect: 100-continue\r\n"))
    conn.advance()
    client.sendall(b"abc")
    assert conn.advance() is Next.ANSWER
    assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"


def test_a_client_that_asks_but_has_sent_is_not_told(pair):
    conn, client = pair
    client.sendall(request(3, b"abc", more=b"Expect: 100-continue\r\n"))
    conn.advance()
    conn.answer(b"answer", keep=True)
    conn.advance()
    assert client.recv(100) == b"answer"
