"""The product under more callers than it has threads, with the API server's own client."""

import time
from contextlib import ExitStack

import pytest

from tests.concurrency.api_server import Met
from tests.concurrency.clients import Client

LOAD_SECONDS = 1.5
LIMIT_MS = 1000


def assert_no_stall(met: Met) -> None:
    assert met.errors == {}
    assert met.p99_ms < LIMIT_MS


def test_64_callers_on_eight_threads_meet_no_error(one_process, load, reviews, client):
    with ExitStack() as stack:
        for _ in range(25):
            stack.enter_context(client(one_process).handshaken())
        callers = stack.enter_context(load(one_process, "/validate", [reviews.stored, reviews.refused], 64))
        time.sleep(LOAD_SECONDS)
        met = callers.finish()
    assert_no_stall(met)
    assert abs(met.allowed - met.denied) <= 1


def test_three_api_servers_of_48_callers_meet_no_error(product, load, reviews):
    webhook = product("--workers=2", "--threads=8", replicas=1)
    with ExitStack() as stack:
        servers = [stack.enter_context(load(webhook, "/mutate", [reviews.sent], 48)) for _ in range(3)]
        time.sleep(LOAD_SECONDS)
        met = [callers.finish() for callers in servers]
    assert [each.errors for each in met] == [{}, {}, {}]
    assert all(each.allowed >= 48 for each in met)


@pytest.mark.parametrize("stall", [Client.half_a_handshake, Client.half_a_head, Client.half_a_body])
def test_clients_that_stall_hold_up_nobody(one_process, load, reviews, client, stall):
    with load(one_process, "/validate", [reviews.stored], 8) as callers, ExitStack() as stalled:
        for _ in range(12):
            stalled.enter_context(stall(client(one_process)))
        time.sleep(1)
        met = callers.finish()
    assert_no_stall(met)
    with load(one_process, "/validate", [reviews.stored], 8, calls=100) as callers:
        after = callers.finish()
    assert after.allowed == 100
    assert_no_stall(after)
