"""The queue hands out each key once, to one worker at a time, and failed ones ever later."""

from __future__ import annotations

import threading

import pytest

from webhook.controller.queue import MAX_DELAY_SECONDS, Key, WorkQueue

A, B = Key("node", "a"), Key("node", "b")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(clock: Clock) -> WorkQueue:
    return WorkQueue(clock, lambda low, high: high)


def drain(queue: WorkQueue) -> list[Key]:
    found = []
    while (key := queue.get(wait=False)) is not None:
        found.append(key)
        queue.done(key)
    return found


def test_keys_come_in_their_order_and_each_once(queue: WorkQueue) -> None:
    for key in (A, B, A, A):
        queue.add(key)
    assert queue.depth == 2
    assert drain(queue) == [A, B]


def test_a_key_that_is_worked_on_is_not_handed_out_again(queue: WorkQueue) -> None:
    queue.add(A)
    assert queue.get(wait=False) == A
    queue.add(A)
    assert queue.get(wait=False) is None
    queue.done(A)
    assert drain(queue) == [A]


def test_a_key_for_later_comes_when_its_time_has_come(queue: WorkQueue, clock: Clock) -> None:
    queue.add_after(A, 5)
    clock.now += 4.9
    assert drain(queue) == []
    clock.now += 0.2
    assert drain(queue) == [A]


def test_of_two_times_the_earlier_holds_and_the_key_comes_once(queue: WorkQueue, clock: Clock) -> None:
    for seconds in (5, 1, 3):
        queue.add_after(A, seconds)
    clock.now += 1
    assert drain(queue) == [A]
    clock.now += 10
    assert drain(queue) == []


def test_a_key_that_fails_again_and_again_comes_ever_later_but_not_never(
    queue: WorkQueue, clock: Clock
) -> None:
    delays = []
    for _ in range(30):
        queue.failed(A)
        begun = clock.now
        clock.now = queue._later[0][0]
        assert drain(queue) == [A]
        delays.append(clock.now - begun)
    assert delays[:4] == pytest.approx([0.1, 0.2, 0.4, 0.8])
    assert max(delays) == MAX_DELAY_SECONDS


def test_a_success_ends_the_delays(queue: WorkQueue, clock: Clock) -> None:
    for _ in range(5):
        queue.failed(A)
    queue.succeeded(A)
    clock.now += 60
    drain(queue)
    queue.failed(A)
    clock.now += 0.1
    assert drain(queue) == [A]


def test_shut_it_forgets_what_waits_and_takes_nothing_until_it_is_opened(
    queue: WorkQueue, clock: Clock
) -> None:
    queue.add(A)
    queue.add_after(B, 1)
    queue.shut()
    queue.add(A)
    queue.failed(B)
    clock.now += 2
    assert drain(queue) == []
    queue.open()
    assert drain(queue) == []
    queue.add(A)
    assert drain(queue) == [A]


def test_a_waiting_worker_is_woken_by_a_key_and_by_the_end() -> None:
    queue = WorkQueue()
    found: list[Key | None] = []

    def work() -> None:
        while (key := queue.get()) is not None:
            found.append(key)
            queue.done(key)
        found.append(None)

    worker = threading.Thread(target=work)
    worker.start()
    queue.add(A)
    queue.add_after(B, 0.01)
    while len(found) < 2:
        worker.join(0.01)
    queue.close()
    worker.join(10)
    assert found == [A, B, None]
