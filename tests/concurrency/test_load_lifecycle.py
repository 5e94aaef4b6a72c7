"""Readiness, reloads, deaths, and the end."""

import http.client
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.concurrency.serving import Callers, call, wait_for


def test_readiness_follows_the_application(start, directory):
    (directory / "not-ready").touch()
    server = start(workers=2, drain_seconds=1)
    wait_for(
        lambda: server.health("/readyz")[1].count("cache of resourceclasses") == 2,
        "both workers say what is missing",
    )
    assert server.health("/readyz")[0] == 503
    (directory / "not-ready").unlink()
    wait_for(lambda: server.health("/readyz") == (200, "ok\n"), "it is ready")
    server.signal(signal.SIGTERM)
    wait_for(lambda: server.health("/readyz") == (503, "draining: this replica is stopping\n"), "it drains")


def test_a_server_that_is_not_ready_is_alive(start, directory):
    (directory / "not-ready").touch()
    server = start(workers=1)
    assert server.health("/livez") == (200, "ok\n")


def test_requests_wait_for_a_worker_that_becomes_ready(start, directory):
    (directory / "not-ready").touch()
    server = start(workers=1, start_wait_seconds=5)
    wait_for(lambda: "cache" in server.health("/readyz")[1], "the worker is up")
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(server.post)
        (directory / "not-ready").unlink()
        assert answer.result()[0] == 200


def test_requests_reach_the_application_once_the_wait_to_be_ready_is_over(start, directory):
    (directory / "not-ready").touch()
    server = start(workers=1, start_wait_seconds=0.1)
    assert server.post()[0] == 200


def test_sigterm_goes_on_serving_while_it_drains(start):
    server = start(workers=2, drain_seconds=1.5).wait_ready()
    with closing(server.client()) as client:
        call(client)
        server.signal(signal.SIGTERM)
        wait_for(lambda: server.health("/readyz")[0] == 503, "it drains")
        client.request("POST", "/", b"{}")
        response = client.getresponse()
        response.read()
        assert (response.status, response.headers["Connection"]) == (200, "close")
    assert server.post()[0] == 200
    assert server.wait_stopped() == 0


def test_a_second_sigterm_ends_the_drain(start):
    server = start(workers=1, drain_seconds=60).wait_ready()
    server.signal(signal.SIGTERM)
    wait_for(lambda: server.health("/readyz")[0] == 503, "it drains")
    server.signal(signal.SIGTERM)
    assert server.wait_stopped() == 0


def test_a_request_in_flight_is_answered_before_the_end(start):
    server = start(workers=1).wait_ready()
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(server.post, "/slow/1")
        wait_for(
            lambda: server.metric("http_refused_total") == 0 and time.monotonic() - server.started > 1,
            "it began",
        )
        server.signal(signal.SIGTERM)
        assert answer.result()[0] == 200
    assert server.wait_stopped() == 0


def test_nothing_is_left_of_a_stopped_server(start, directory):
    server = start(workers=2).wait_ready()
    workers = server.workers()
    assert server.stop() == 0
    assert not any(os.path.exists(f"/proc/{pid}") for pid in workers)
    assert list(directory.glob("resourceclass-*")) == []


def test_a_drain_under_load_fails_no_call(start):
    server = start(workers=2, drain_seconds=1).wait_ready()
    with Callers(server, 16) as load:
        wait_for(lambda: load.results["200"] > 100, "load")
        server.signal(signal.SIGTERM)
        wait_for(lambda: server.health("/readyz")[0] == 503, "it drains")
        time.sleep(0.5)
        results = dict(load.results)
    assert set(results) == {"200"}


def test_sighup_replaces_the_workers_without_a_failed_call(start):
    server = start(workers=2).wait_ready()
    before = server.workers()
    with Callers(server, 16) as load:
        wait_for(lambda: load.results["200"] > 100, "load")
        server.signal(signal.SIGHUP)
        wait_for(lambda: len(server.workers()) == 2 and not server.workers() & before, "new workers alone")
        assert server.health("/readyz")[0] == 200
        seen = load.results["200"]
        wait_for(lambda: load.results["200"] > seen + 100, "the new ones serve")
    assert set(load.results) == {"200"}


def test_a_reload_keeps_the_old_workers_until_the_new_ones_are_ready(start, directory):
    server = start(workers=1, start_wait_seconds=20).wait_ready()
    (old,) = server.workers()
    (directory / "not-ready").touch()
    wait_for(lambda: server.health("/readyz")[0] == 503, "not ready any more")
    server.signal(signal.SIGHUP)
    wait_for(lambda: len(server.workers()) == 2, "a new worker")
    time.sleep(1.2)
    assert old in server.workers()
    (directory / "not-ready").unlink()
    wait_for(lambda: old not in server.workers(), "the old one is stopped")


def test_a_reload_that_cannot_start_leaves_the_old_workers_serving(start, directory):
    server = start(workers=1).wait_ready()
    before = server.workers()
    (directory / "broken").touch()
    server.signal(signal.SIGHUP)
    wait_for(lambda: server.logged("a new worker could not start; the others go on"), "the failure is logged")
    wait_for(lambda: server.workers() == before, "the old worker alone")
    assert server.post()[0] == 200


def test_a_server_whose_application_cannot_start_ends_with_an_error(start, directory):
    (directory / "broken").touch()
    server = start(workers=1)
    assert server.wait_stopped() == 1
    assert "RuntimeError: broken" in server.logged("the application cannot start")[0]["traceback"]


def test_a_killed_worker_is_replaced_and_fails_only_its_own_calls(start):
    server = start(workers=2).wait_ready()
    before = server.workers()
    with Callers(server, 8) as load:
        wait_for(lambda: load.results["200"] > 100, "load")
        os.kill(min(before), signal.SIGKILL)
        wait_for(lambda: len(server.workers() - before) == 1, "a new worker")
        server.wait_ready()
    assert sum(load.results.values()) - load.results["200"] <= 8


def test_workers_do_not_outlive_their_parent(start):
    server = start(workers=2).wait_ready()
    workers = server.workers()
    server.process.kill()
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in workers), "the workers end")


def test_ctrl_c_ends_a_server_at_once_and_quietly(start):
    server = start(workers=2, drain_seconds=60).wait_ready()
    with server.connect():
        for pid in [server.process.pid, *server.workers()]:
            os.kill(pid, signal.SIGINT)
        assert server.wait_stopped() == 0
    assert server.problems() == []


def test_a_silent_worker_makes_the_replica_not_ready(start):
    server = start(workers=2).wait_ready()
    stopped = min(server.workers())
    os.kill(stopped, signal.SIGSTOP)
    try:
        wait_for(lambda: f"worker {stopped}: silent" in server.health("/readyz")[1], "it is missed")
    finally:
        os.kill(stopped, signal.SIGCONT)
    server.wait_ready()


def test_a_connection_refused_is_all_that_remains(start):
    server = start(workers=1).wait_ready()
    server.stop()
    with (
        pytest.raises(ConnectionRefusedError),
        closing(http.client.HTTPConnection("127.0.0.1", server.port)) as client,
    ):
        client.connect()
