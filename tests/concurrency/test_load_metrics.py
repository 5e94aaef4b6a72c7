"""Metrics over processes."""

import os
import signal

from tests.concurrency.serving import Callers, wait_for


def _count_on_both_workers(server) -> int:
    """Call until both workers have answered; how many calls that were."""
    calls, pids = 0, set()
    while len(pids) < 2:
        status, answer = server.post()
        assert status == 200
        pids.add(answer["pid"])
        calls += 1
    return calls


def test_metrics_are_summed_over_both_workers(start):
    server = start(workers=2).wait_ready()
    calls = _count_on_both_workers(server)
    assert server.metric("admission_requests_total") == calls


def test_what_an_ended_worker_has_counted_stays(start):
    server = start(workers=2).wait_ready()
    calls = _count_on_both_workers(server)
    before = server.workers()
    os.kill(min(before), signal.SIGKILL)
    wait_for(lambda: len(server.workers() - before) == 1, "a new worker")
    assert server.metric("admission_requests_total") == calls


def test_scrapes_under_load_succeed(start):
    server = start(workers=2).wait_ready()
    with Callers(server, 8):
        statuses = [server.health("/metrics")[0] for _ in range(20)]
    assert statuses == [200] * 20
