"""The workers: what fails comes back, what faults harms nothing else, and who may not write does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from webhook.cluster.api import ApiError
from webhook.cluster.leases import NoLease
from webhook.cluster.watch_group import WatchGroup
from webhook.controller.controller import Controller
from webhook.controller.election import Elector, Led
from webhook.controller.queue import Key, WorkQueue
from webhook.core.errors import ClusterUnavailable, NotReady

KEY = Key("node", "a")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Made:
    """A controller whose one kind of work is `work`, and what came of it."""

    work: Callable[[str], float | None]
    clock: Clock = field(default_factory=Clock)
    results: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.queue = WorkQueue(self.clock, lambda low, high: high)
        watches = WatchGroup(self.clock, lambda low, high: high)
        elector = Elector(NoLease(), "me", Led(lambda: None, lambda: None))
        self.controller = Controller(watches, self.queue, elector, {"node": self.work}, self, threads=1)

    def worked(self, kind: str, result: str) -> None:
        self.results[result] += 1

    def once(self) -> str:
        """Do what is in the queue, as a worker does; returns what came of it."""
        key = self.queue.get(wait=False)
        assert key is not None
        result = self.controller._try(key)
        self.queue.done(key)
        return result

    def waits(self, seconds: float) -> bool:
        """Whether the key is there again after so many seconds, and not before."""
        early = self.queue.depth
        self.clock.now += seconds
        return not early and self.queue.depth == 1


def failing(error: Exception) -> Callable[[str], None]:
    def work(name: str) -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (NotReady("not the leader"), "not_ready"),
        (ApiError("conflict", 409), "refused"),
        (ValueError("a bug"), "internal_error"),
    ],
)
def test_work_that_fails_comes_back_and_says_why(error: Exception, result: str) -> None:
    made = Made(failing(error))
    made.queue.add(KEY)
    assert made.once() == result
    assert made.waits(0.1)
    assert made.once() == result
    assert made.waits(0.2)


def test_while_the_api_server_does_not_answer_a_worker_pauses() -> None:
    made = Made(failing(ClusterUnavailable("connection refused")))
    made.controller._stopping.set()  # ends the pause at once
    made.queue.add(KEY)
    assert made.once() == "cluster_unavailable"
    assert made.waits(0.1)


def test_work_that_is_done_does_not_come_back() -> None:
    made = Made(lambda name: None)
    made.queue.add(KEY)
    assert made.once() == "done"
    assert not made.waits(3600)


def test_work_that_asks_for_it_comes_back_in_time() -> None:
    made = Made(lambda name: 30.0)
    made.queue.add(KEY)
    made.once()
    assert made.waits(30)


def test_workers_do_what_is_added_until_they_are_stopped() -> None:
    seen: list[str] = []

    def work(name: str) -> None:
        seen.append(name)
        if name == "bad":
            raise ValueError("a bug")

    made = Made(work)
    made.controller.start()
    for name in ("bad", "good"):
        made.queue.add(Key("node", name))
    while made.results.total() < 2:
        made.controller._workers[0].join(0.01)
    made.controller.close()
    assert seen[:2] == ["bad", "good"]
    assert not made.controller._workers[0].is_alive()
    assert not made.controller.elector.leads
