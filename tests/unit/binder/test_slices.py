"""Long work under the lock of the books is done in slices."""

from __future__ import annotations

from threading import Lock

from tests.unit.binder.worlds import Clock, World, device, k80_pod
from webhook.binder.books import Books
from webhook.binder.filtering import filter_nodes
from webhook.binder.slices import BREATH_SECONDS, MOST_SLICES, SLICE_SECONDS, in_slices


class Counted:
    """A lock that counts how often it was taken."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.taken = 0

    def __enter__(self) -> None:
        self.lock.acquire()
        self.taken += 1

    def __exit__(self, *_: object) -> None:
        self.lock.release()


class Fast(Clock):
    """A clock by which everything takes too long."""

    def __call__(self) -> float:
        self.now += 2 * SLICE_SECONDS
        return self.now


def test_the_lock_is_free_between_the_slices_of_long_work():
    books, steps, pauses = Books(cpu_clock=Fast()), iter(range(3)), []
    books.lock = counted = Counted()

    def answer(work):
        for _ in steps:
            work.done()
        return "done"

    assert in_slices(books, answer, pauses.append) == "done"
    assert (counted.taken, pauses) == (4, [BREATH_SECONDS] * 3)


def test_short_work_takes_one_slice():
    books, pauses = Books(cpu_clock=Clock()), []
    assert in_slices(books, lambda work: [work.done() for _ in range(1000)], pauses.append)
    assert pauses == []


def test_work_of_which_nothing_can_be_remembered_comes_to_an_end():
    books, pauses = Books(cpu_clock=Fast()), []
    assert in_slices(books, lambda work: work.done() or "done", pauses.append) == "done"
    assert len(pauses) == MOST_SLICES


def test_a_filter_in_slices_gives_the_same_answer():
    names = [f"node-{number}" for number in range(6)]
    devices = {name: [device(name, f"{name}-{i}") for i in range(n)] for n, name in enumerate(names)}
    at_once, in_parts = World().nodes(**devices), World(cpu_clock=Fast()).nodes(**devices)
    answers = [filter_nodes(world.books, k80_pod("p", 3), names) for world in (at_once, in_parts)]
    assert answers[0] == answers[1]
    assert sorted(answers[0].passing) == names[3:]
