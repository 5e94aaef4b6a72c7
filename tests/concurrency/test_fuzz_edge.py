"""Anything at all sent to the product: a 4xx or a verdict, no more memory, and the next request is served."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.concurrency.bad import assert_refused_or_judged, bad_requests, request
from tests.concurrency.clients import HEAD, Client
from tests.concurrency.product import faults, resident_bytes

MIB = 2**20
EXAMPLES = settings(max_examples=150, deadline=None, derandomize=True)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def fuzzer(one_process, client) -> Client:
    return client(one_process)


@pytest.fixture(scope="module")
def good(reviews) -> bytes:
    return reviews.stored.read_bytes()


def assert_served(fuzzer: Client, good: bytes) -> None:
    received = fuzzer.exchange(request(good))
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    assert json.loads(received.partition(b"\r\n\r\n")[2])["response"]["allowed"] is True


def test_each_kind_of_bad_request_gets_its_answer(fuzzer, reviews, one_process):
    for name, data in bad_requests(reviews.stored).items():
        received = fuzzer.exchange(data)
        assert received, f"{name}: no answer"
        assert_refused_or_judged(received)
    assert faults(one_process) == []


def test_a_thousand_bad_requests_leave_no_memory_behind(fuzzer, reviews, one_process, good):
    for _ in range(20):
        assert_served(fuzzer, good)
    before = resident_bytes(one_process)
    bad = list(bad_requests(reviews.stored).values())

    def send(number: int) -> None:
        with suppress(OSError):  # the server need not read to the end what it refuses
            fuzzer.exchange(bad[number % len(bad)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(1000)))
    assert resident_bytes(one_process) - before < 50 * MIB
    assert_served(fuzzer, good)


@EXAMPLES
@given(body=st.binary(max_size=300))
def test_any_bytes_as_a_body_are_refused(fuzzer, body):
    assert_refused_or_judged(fuzzer.exchange(request(body)))


@EXAMPLES
@given(data=st.data())
def test_a_review_with_any_value_in_any_place_is_refused_or_judged(fuzzer, good, data):
    document = json.loads(good)
    path = data.draw(st.sampled_from(sorted(_places(document), key=str)))
    node = document
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = data.draw(VALUES)
    body = json.dumps(document).encode("utf-8", "surrogatepass")
    assert_refused_or_judged(fuzzer.exchange(request(body)))


@EXAMPLES
@given(lines=st.lists(st.binary(max_size=60), max_size=6))
def test_a_head_of_any_lines_is_refused_or_served(fuzzer, lines):
    head = HEAD + b"".join(line.replace(b"\r\n", b"") + b"\r\n" for line in lines)
    assert_refused_or_judged(fuzzer.exchange(request(b"{}", head=head)))


@EXAMPLES
@given(data=st.binary(max_size=200))
def test_any_bytes_as_a_head_are_refused(fuzzer, data):
    with suppress(ConnectionError):
        assert_refused_or_judged(fuzzer.exchange(data + b"\r\n\r\n"))


def test_after_all_that_a_request_is_served_and_nothing_was_a_fault_of_ours(fuzzer, good, one_process):
    assert_served(fuzzer, good)
    assert faults(one_process) == []


def _places(node, path=()):
    """The path of every value in a document."""
    steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, value in steps:
        yield (*path, step)
        yield from _places(value, (*path, step))
