"""One controller at a time may write, and a standby takes over when the leader is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from webhook.controller.election import DURATION_SECONDS, RENEW_SECONDS, RETRY_SECONDS, Elector, Led
from webhook.core.errors import ClusterUnavailable, NotReady

Json = dict[str, Any]


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class FakeLease:
    """One Lease with compare-and-swap. `away`: no answer, nothing done; `lost`: done, but no answer."""

    def __init__(self) -> None:
        self.lease: Json | None = None
        self.away = self.lost = False
        self.writes = 0
        self.meanwhile: Callable[[], object] | None = None  # what happens during the next read

    def read(self) -> Json | None:
        if self.away:
            raise ClusterUnavailable("connection refused")
        if self.meanwhile is not None:
            happens, self.meanwhile = self.meanwhile, None
            happens()
        return self.lease

    def write(self, before: Json | None, spec: Json) -> bool:
        if self.away:
            raise ClusterUnavailable("connection refused")
        if before is not self.lease:
            return False
        self.writes += 1
        self.lease = {"metadata": {"resourceVersion": str(self.writes)}, "spec": spec}
        if self.lost:
            raise ClusterUnavailable("read timed out")
        return True

    @property
    def holder(self) -> str:
        return str((self.lease or {}).get("spec", {}).get("holderIdentity"))


class Candidate:
    """An elector, and what it has begun and ended."""

    def __init__(self, lease: FakeLease, clock: Clock, name: str, knows_enough: bool = True) -> None:
        self.heard: list[str] = []
        self.knows_enough = knows_enough
        led = Led(
            lambda: self.heard.append("started"),
            lambda: self.heard.append("stopped"),
            lambda: self.knows_enough,
        )
        self.elector = Elector(lease, name, led, clock)

    def step(self) -> bool:
        self.elector.step()
        return self.elector.leads


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lease() -> FakeLease:
    return FakeLease()


@pytest.fixture
def a(lease: FakeLease, clock: Clock) -> Candidate:
    return Candidate(lease, clock, "a")


@pytest.fixture
def b(lease: FakeLease, clock: Clock) -> Candidate:
    return Candidate(lease, clock, "b")


def test_the_first_to_come_leads_and_the_other_stands_by(a: Candidate, b: Candidate) -> None:
    assert (a.step(), b.step()) == (True, False)
    assert (a.heard, b.heard) == (["started"], [])
    b_may = pytest.raises(NotReady, match="does not hold the lease")
    with b_may:
        b.elector.check()


def test_as_long_as_it_renews_it_stays(a: Candidate, b: Candidate, clock: Clock, lease: FakeLease) -> None:
    for _ in range(30):
        assert (a.step(), b.step()) == (True, False)
        clock.now += RETRY_SECONDS
    assert a.heard == ["started"]
    assert lease.lease is not None
    assert lease.lease["spec"]["leaseTransitions"] == 0


def test_a_killed_leader_is_followed_when_its_lease_has_not_changed_for_its_duration(
    a: Candidate, b: Candidate, clock: Clock, lease: FakeLease
) -> None:
    a.step()
    b.step()
    clock.now += DURATION_SECONDS - 0.1
    assert not b.step()
    clock.now += 0.2
    assert b.step()
    assert lease.lease is not None
    assert lease.lease["spec"]["leaseTransitions"] == 1


def test_a_read_that_takes_long_does_not_shorten_the_term_of_the_leader(
    a: Candidate, b: Candidate, clock: Clock, lease: FakeLease
) -> None:
    def renewed_late() -> None:
        clock.now += 8
        assert a.step()

    a.step()
    lease.meanwhile = renewed_late
    assert not b.step()
    clock.now += DURATION_SECONDS - 0.1
    assert not b.step()
    clock.now += 0.1
    assert b.step()


def test_who_sees_an_old_lease_for_the_first_time_waits_too(a: Candidate, b: Candidate, clock: Clock) -> None:
    a.step()
    clock.now += 1000
    assert not b.step()


def test_a_leader_that_cannot_renew_writes_nothing_before_another_one_can_lead(
    a: Candidate, b: Candidate, clock: Clock, lease: FakeLease
) -> None:
    a.step()
    b.step()
    lease.away = True
    clock.now += RENEW_SECONDS
    assert not a.elector.leads
    assert not a.step()
    assert a.heard == ["started", "stopped"]
    lease.away = False
    assert not b.step()
    clock.now += DURATION_SECONDS - RENEW_SECONDS
    assert b.step()


def test_a_leader_goes_on_when_it_can_renew_in_time(a: Candidate, clock: Clock, lease: FakeLease) -> None:
    a.step()
    lease.away = True
    clock.now += RENEW_SECONDS - 1
    assert a.step()
    lease.away = False
    assert a.step()
    clock.now += RENEW_SECONDS - 1
    assert a.elector.leads
    assert a.heard == ["started"]


def test_a_lease_that_another_one_holds_ends_the_term_at_once(
    a: Candidate, b: Candidate, clock: Clock, lease: FakeLease
) -> None:
    a.step()
    lease.lease = None
    assert b.step()
    assert not a.step()
    assert a.heard == ["started", "stopped"]


def test_a_renewal_whose_answer_is_lost_does_not_lengthen_the_term(
    a: Candidate, clock: Clock, lease: FakeLease
) -> None:
    a.step()
    clock.now += RENEW_SECONDS - 1
    lease.lost = True
    a.step()
    clock.now += 1
    assert not a.elector.leads
    lease.lost = False
    assert a.step()


def test_of_two_that_write_at_once_one_leads(a: Candidate, lease: FakeLease) -> None:
    seen = lease.read()
    assert lease.write(seen, {"holderIdentity": "b"})
    lease.lease = {"spec": {"holderIdentity": ""}}
    stale = lease.read()
    a.step()
    assert not lease.write(stale, {"holderIdentity": "b"})
    assert lease.holder == "a"


def test_a_lease_that_is_given_up_is_taken_at_the_next_try(a: Candidate, b: Candidate) -> None:
    a.step()
    b.step()
    a.elector.close()
    assert b.step()
    assert a.heard == ["started", "stopped"]


def test_closing_leaves_the_lease_of_another_one_alone(a: Candidate, b: Candidate, lease: FakeLease) -> None:
    a.step()
    b.elector.close()
    assert lease.holder == "a"


def test_closing_without_an_api_server_ends(a: Candidate, lease: FakeLease) -> None:
    a.step()
    lease.away = True
    a.elector.close()
    assert not a.elector.leads


def test_who_has_not_listed_everything_yet_does_not_try(lease: FakeLease, clock: Clock) -> None:
    late = Candidate(lease, clock, "late", knows_enough=False)
    assert not late.step()
    assert lease.lease is None
    late.knows_enough = True
    assert late.step()


def test_a_fault_does_not_end_the_election(lease: FakeLease, clock: Clock) -> None:
    def fault() -> None:
        raise ValueError("a bug")

    faulty = Candidate(lease, clock, "faulty")
    lease.meanwhile = fault
    steps: list[bool] = []

    def wait(seconds: float) -> bool:
        steps.append(faulty.elector.leads)
        return len(steps) > 2

    faulty.elector._stopping.wait = wait  # type: ignore[method-assign, assignment]
    faulty.elector._run()
    assert steps == [False, False, True]
