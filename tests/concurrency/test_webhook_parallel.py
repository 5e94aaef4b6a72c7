"""The product under more callers than it has threads, with the API server's own client."""

import time
from contextlib import ExitStack

import pytest

from tests.concurrency.clients import Client

LOAD_SECONDS = 2.0
LIMIT_MS = 1000


def test_64_callers_on_eight_threads_meet_no_error(product, load, reviews, client):
    webhook = product("--workers=1", "--threads=8", replicas=1)
    with ExitStack() as parked, load(webhook, "/validate", [reviews.stored, reviews.refused], 64) as callers:
        for _ in range(25):
            parked.enter_context(client(webhook).handshaken())
        time.sleep(LOAD_SECONDS)
        met = callers.finish()
    assert met.errors == {}
    assert met.p99_ms < LIMIT_MS
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
def test_clients_that_stall_hold_up_nobody(product, load, reviews, client, stall):
    webhook = product("--workers=1", "--threads=8", replicas=1)
    with load(webhook, "/validate", [reviews.stored], 8) as callers, ExitStack() as stalled:
        for _ in range(12):
            stalled.enter_context(stall(client(webhook)))
        time.sleep(1)
        met = callers.finish()
    assert met.errors == {}
    assert met.p99_ms < LIMIT_MS
    with load(webhook, "/validate", [reviews.stored], 8, calls=100) as callers:
        after = callers.finish()
    assert (after.allowed, after.errors) == (100, {})
    assert after.max_ms < LIMIT_MS
