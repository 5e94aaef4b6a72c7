"""Which verdicts are told to the owner of a quota, in which words, and that nobody waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.unit.admission.worlds import pod, request
from webhook.admission.events import MESSAGE_LENGTH, QUEUE_LENGTH, Events, event_name, occurrences
from webhook.core.errors import ClusterUnavailable
from webhook.core.outcome import Fault, Outcome, Reason
from webhook.core.refusals import INTERVAL_SECONDS, Series

EXCEEDED = Fault(Reason.QUOTA_EXCEEDED, "exceeded quota: q", "q")


def refused(*faults: Fault) -> Outcome:
    return Outcome({}, faults=faults)


@dataclass
class Sink:
    """Keeps what is written. Fails while there are failures left."""

    failures: int = 0
    has_reader: bool = True
    error: Exception = field(default_factory=lambda: ClusterUnavailable("refused"))
    written: list[Series] = field(default_factory=list)

    def write(self, series: Series) -> bool:
        if self.failures:
            self.failures -= 1
            raise self.error
        if self.has_reader:
            self.written.append(series)
        return self.has_reader


class World:
    """Events that are written by steps, at the time of `now`."""

    def __init__(self, failures: int = 0) -> None:
        self.sink = Sink(failures)
        self.counted: list[str] = []
        self.now = 1_000_000.0
        self.events = Events(self.sink, self.counted.append, lambda: self.now)

    def refuse(self, name: str = "train") -> None:
        self.events.tell(request(pod(name)), refused(EXCEEDED))


@pytest.fixture
def world() -> World:
    return World()


def test_a_refusal_for_quota_is_told_with_its_text() -> None:
    (told,) = occurrences(request(pod("train")), refused(EXCEEDED))
    assert (told.namespace, told.quota, told.reason) == ("team-a", "q", "QuotaExceeded")
    assert told.message == "refused pod train: exceeded quota: q"


def test_the_controller_that_wants_the_pod_is_named() -> None:
    owners = [
        {"kind": "Node", "name": "n"},
        {"kind": "ReplicaSet", "name": "train-5d4", "controller": True},
    ]
    owned = pod(None, generateName="train-5d4-", ownerReferences=owners)
    (told,) = occurrences(request(owned), refused(EXCEEDED))
    assert told.message == "refused pod train-5d4- of ReplicaSet train-5d4: exceeded quota: q"


def test_each_quota_is_told_of_its_own_refusal() -> None:
    both = refused(EXCEEDED, Fault(Reason.QUOTA_EXCEEDED, "exceeded quota: r", "r"))
    assert [told.quota for told in occurrences(request(pod()), both)] == ["q", "r"]


def test_a_pod_without_any_name_is_told_all_the_same() -> None:
    (told,) = occurrences(request(pod(None)), refused(EXCEEDED))
    assert told.message == "refused a pod: exceeded quota: q"


def test_a_long_text_is_cut() -> None:
    long = Fault(Reason.QUOTA_EXCEEDED, "exceeded " * 500, "q")
    (told,) = occurrences(request(pod()), refused(long))
    assert len(told.message) <= MESSAGE_LENGTH


def test_a_dry_run_is_never_told() -> None:
    assert occurrences(request(pod(), dry_run=True), refused(EXCEEDED)) == ()


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason is not Reason.QUOTA_EXCEEDED])
def test_other_refusals_are_for_the_requester_alone(reason: Reason) -> None:
    assert occurrences(request(pod()), refused(Fault(reason, "no"))) == ()


def test_a_verdict_that_admits_is_not_told() -> None:
    assert occurrences(request(pod()), Outcome({})) == ()


def test_telling_writes_nothing_by_itself(world: World) -> None:
    world.refuse()
    assert world.sink.written == []


def test_a_step_writes_what_was_told(world: World) -> None:
    world.refuse()
    assert world.events.step(0.0)
    assert ([series.count for series in world.sink.written], world.counted) == ([1], ["written"])


def test_refusals_of_a_minute_are_one_more_write(world: World) -> None:
    for number in range(5):
        world.refuse(f"p{number}")
        world.events.step(0.0)
    world.now += INTERVAL_SECONDS
    world.events.step(0.0)
    assert [(each.count, each.latest.message[:14]) for each in world.sink.written] == [
        (1, "refused pod p0"),
        (5, "refused pod p4"),
    ]


def test_a_write_that_fails_is_counted_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    world = World(failures=1)
    world.refuse()
    world.events.step(0.0)
    world.now += INTERVAL_SECONDS
    world.events.step(0.0)
    assert (world.counted, len(world.sink.written)) == (["failed", "written"], 1)
    assert caplog.messages == ["an event could not be written"]


def test_a_fault_of_ours_ends_no_thread(caplog: pytest.LogCaptureFixture) -> None:
    world = World(failures=1)
    world.sink.error = RuntimeError("a bug")
    world.refuse()
    assert world.events.step(0.0)
    assert (world.counted, caplog.messages) == (["failed"], ["fault in writing an event"])


def test_what_does_not_fit_into_the_queue_is_counted(world: World) -> None:
    for _ in range(QUEUE_LENGTH + 3):
        world.refuse()
    assert world.counted == ["dropped"] * 3


def test_a_step_takes_in_all_that_wait(world: World) -> None:
    for _ in range(3):
        world.refuse()
    assert world.events.step(0.0)
    (series,) = world.sink.written
    assert series.count == 3


def test_what_was_told_before_the_order_to_stop_is_written(world: World) -> None:
    world.refuse()
    world.events.close()
    assert not world.events.step(0.0)
    assert len(world.sink.written) == 1


def test_the_order_to_stop_ends_the_steps(world: World) -> None:
    world.events.close()
    assert not world.events.step(None)


def test_its_thread_writes_and_ends(world: World) -> None:
    world.refuse()
    world.events.start()
    world.events.close()
    assert (len(world.sink.written), world.events._thread.is_alive()) == (1, False)


@pytest.mark.parametrize("quota", ["q", "q" * 253, f"{'q' * 199}." + "r" * 50])
def test_the_name_of_an_event_is_a_dns_name(quota: str) -> None:
    name = event_name(quota)
    assert len(name) <= 253
    assert ".." not in name
    assert name != event_name(quota)


def test_what_nobody_is_left_to_read_is_no_failure_and_not_tried_again(world: World) -> None:
    world.sink.has_reader = False
    world.refuse()
    world.events.step(0)
    assert world.counted == ["dropped"]

    world.now += INTERVAL_SECONDS
    world.events.step(0)
    assert world.counted == ["dropped"]
