"""Two replicas behind one address under load: one of them is stopped, reloaded or killed."""

import os
import signal
import time

import pytest

from tests.concurrency.product import faults, workers
from tests.harness.waiting import until

CALLERS = 16
DRAIN = ("--drain-seconds=1.5", "--graceful-seconds=5")


@pytest.fixture
def two(product):
    """Two replicas, whose processes stop as they do in a cluster: they go on serving for a while."""
    return product("--workers=1", replicas=2, stopping=DRAIN)


def leave(webhook, replica) -> None:
    """Take a replica that is not ready out of the endpoints, as Kubernetes does."""
    until(lambda: not replica.ready(), "the replica says that it is not ready", 5)
    webhook.send_to([each for each in webhook.replicas if each is not replica])


def test_a_replica_that_is_stopped_fails_no_call(two, load, reviews):
    leaving = two.replicas[0]
    with load(two, "/validate", [reviews.stored], CALLERS) as callers:
        leaving.process.send(signal.SIGTERM)
        leave(two, leaving)
        assert leaving.process.join() == 0
        time.sleep(0.3)
        met = callers.finish()
    assert met.errors == {}


def test_a_replica_that_is_reloaded_fails_no_call(two, load, reviews):
    replica = two.replicas[0]
    before = workers(replica)
    with load(two, "/validate", [reviews.stored], CALLERS) as callers:
        replica.process.send(signal.SIGHUP)
        until(lambda: len(workers(replica)) == 1 and workers(replica) != before, "a new worker alone")
        time.sleep(0.3)
        met = callers.finish()
    assert met.errors == {}
    assert faults(two) == []


def test_a_replica_that_is_killed_fails_only_the_calls_in_flight_on_it(two, load, reviews):
    killed = two.replicas[0]
    with load(two, "/validate", [reviews.stored], CALLERS) as callers:
        os.killpg(killed.process.pid, signal.SIGKILL)
        time.sleep(1)
        met = callers.finish()
    assert sum(met.errors.values()) <= CALLERS
    assert met.calls > 10 * CALLERS
    with load(two, "/validate", [reviews.stored], CALLERS, calls=200) as callers:
        after = callers.finish()
    assert (after.allowed, after.errors) == (200, {})
