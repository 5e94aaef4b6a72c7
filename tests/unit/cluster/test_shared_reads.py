from threading import Event, Thread

import pytest

from webhook.cluster.shared_reads import SharedReads
from webhook.core.errors import ClusterUnavailable


class Counted:
    """Reads that count: each gives its key and its number."""

    def __init__(self):
        self.number = 0
        self.during = lambda: None

    def __call__(self, key):
        self.number += 1
        self.during()
        return f"{key}-{self.number}"


def test_who_asks_one_after_the_other_reads_each_time():
    reads = SharedReads(Counted())
    assert [reads.get("a"), reads.get("a")] == ["a-1", "a-2"]


def test_all_who_ask_before_a_read_begins_share_it():
    reads = SharedReads(Counted())
    asked = [reads.ask("a") for _ in range(3)]
    assert [reads.result(each) for each in asked] == ["a-1"] * 3


def test_who_asks_while_a_read_is_under_way_gets_a_later_one():
    counted = Counted()
    reads = SharedReads(counted)
    late = []
    counted.during = lambda: late.append(reads.ask("a")) if not late else None
    assert reads.get("a") == "a-1"
    assert reads.result(late[0]) == "a-2"


def test_different_keys_share_nothing():
    reads = SharedReads(Counted())
    one, other = reads.ask("a"), reads.ask("b")
    assert [reads.result(one), reads.result(other)] == ["a-1", "b-2"]


def test_a_failure_is_told_to_all_who_share_it():
    def fail(key):
        raise ClusterUnavailable(f"no answer about {key}")

    reads = SharedReads(fail)
    asked = [reads.ask("a") for _ in range(2)]
    for each in asked:
        with pytest.raises(ClusterUnavailable, match="no answer about a"):
            reads.result(each)


def test_after_a_failure_the_next_question_is_read_anew():
    answers = [ClusterUnavailable("gone"), "back"]

    def read(key):
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    reads = SharedReads(read)
    with pytest.raises(ClusterUnavailable):
        reads.get("a")
    assert reads.get("a") == "back"


def test_two_reads_of_one_key_never_run_at_the_same_time():
    begun, go_on = Event(), Event()
    running, most = [], []

    def read(key):
        running.append(key)
        most.append(len(running))
        begun.set()
        go_on.wait(5)
        running.remove(key)

    reads = SharedReads(read)
    threads = [Thread(target=reads.get, args=("a",)) for _ in range(8)]
    threads[0].start()
    assert begun.wait(5)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(5)
    assert set(most) == {1}


def test_nothing_is_remembered_of_a_read_that_has_ended():
    reads = SharedReads(Counted())
    reads.get("a")
    assert reads.ask("a").before is None
