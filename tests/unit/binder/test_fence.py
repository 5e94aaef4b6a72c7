"""Who may decide: the holder's binder, and only after what was before it has come to an end."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from webhook.binder.fence import TAKEOVER_SECONDS, Fence
from webhook.core.errors import NotReady


class Clock:
    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Pods:
    """A list of pods that is complete when a test says so."""

    def __init__(self) -> None:
        self.ordered = 0
        self.listed = 0

    def relist(self) -> int:
        self.ordered += 1
        return self.ordered

    def has_listed(self, number: int) -> bool:
        return self.listed >= number


class Fenced:
    def __init__(self, identity: str = "pod-a") -> None:
        self.pods, self.clock, self.wall, self.alone = Pods(), Clock(), Clock(1_800_000_000.0), True
        self.fence = Fence(self.pods, identity, is_alone=lambda: self.alone, clock=self.clock, wall=self.wall)

    def lease(self, holder: str = "pod-a_1f", *, age: float = 0.0, began: str = "t0", **spec: Any) -> None:
        renewed = datetime.fromtimestamp(self.wall.now - age, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        fields = {"holderIdentity": holder, "acquireTime": began, "renewTime": renewed}
        self.fence.saw({"spec": {"leaseDurationSeconds": 15, "leaseTransitions": 1, **fields, **spec}})

    def taken_over(self) -> Fenced:
        self.lease()
        self.why_not()
        self.clock.now += TAKEOVER_SECONDS
        self.why_not()
        self.pods.listed = self.pods.ordered
        self.fence.check()
        return self

    def why_not(self) -> str:
        with pytest.raises(NotReady) as caught:
            self.fence.check()
        return str(caught.value)


def test_nobody_decides_before_the_lease_is_held():
    assert Fenced().why_not() == "nobody holds the scheduler's lease yet"


def test_another_pods_scheduler_does_not_count():
    fenced = Fenced()
    fenced.lease("pod-b_77")
    assert fenced.why_not() == "the scheduler's lease is held by pod-b_77, not by pod-a"


def test_a_host_name_that_only_begins_alike_does_not_count():
    fenced = Fenced("pod-1")
    fenced.lease("pod-10_77")
    assert "held by pod-10_77" in fenced.why_not()


def test_a_new_holder_waits_for_the_bindings_of_the_old_one():
    fenced = Fenced()
    fenced.lease()
    assert "waiting for what the holder before" in fenced.why_not()
    fenced.clock.now += TAKEOVER_SECONDS - 0.1
    assert "waiting for what the holder before" in fenced.why_not()
    assert fenced.pods.ordered == 0


def test_a_new_holder_lists_the_pods_after_the_wait_and_then_decides():
    fenced = Fenced()
    fenced.lease()
    fenced.why_not()
    fenced.clock.now += TAKEOVER_SECONDS
    assert fenced.why_not() == "taking over: listing the pods"
    assert fenced.why_not() == "taking over: listing the pods"
    assert fenced.pods.ordered == 1
    fenced.pods.listed = 1
    fenced.fence.check()


def test_renewals_do_not_start_the_wait_again():
    fenced = Fenced().taken_over()
    fenced.wall.now += 5
    fenced.lease()
    fenced.fence.check()


def test_a_lease_that_is_not_renewed_is_not_believed_for_its_whole_duration():
    fenced = Fenced().taken_over()
    fenced.wall.now += 10
    fenced.fence.check()
    fenced.wall.now += 1
    assert fenced.why_not() == "the scheduler's lease was last renewed 11 s ago"


def test_the_same_term_goes_on_after_late_news_of_it():
    fenced = Fenced().taken_over()
    fenced.wall.now += 20
    fenced.why_not()
    fenced.lease()
    fenced.fence.check()


def test_a_second_term_of_the_same_holder_waits_again():
    fenced = Fenced().taken_over()
    fenced.lease(began="t1", leaseTransitions=3)
    assert "waiting for what the holder before" in fenced.why_not()


def test_a_hand_over_and_back_waits_again():
    fenced = Fenced().taken_over()
    fenced.lease("pod-b_77", began="t1", leaseTransitions=2)
    fenced.why_not()
    fenced.lease(began="t2", leaseTransitions=3)
    assert "waiting for what the holder before" in fenced.why_not()
    fenced.clock.now += TAKEOVER_SECONDS
    fenced.why_not()
    assert fenced.pods.ordered == 2


def test_a_lease_that_is_deleted_ends_the_term():
    fenced = Fenced().taken_over()
    fenced.fence.saw(None)
    assert "nobody holds" in fenced.why_not()


def test_a_lease_that_was_given_up_ends_the_term():
    fenced = Fenced().taken_over()
    fenced.lease("", began="t1")
    assert "nobody holds" in fenced.why_not()


def test_the_duration_of_the_lease_counts():
    fenced = Fenced()
    fenced.lease(leaseDurationSeconds=6, age=4.5)
    assert "last renewed" in fenced.why_not()


@pytest.mark.parametrize("spec", [{"renewTime": "soon"}, {"renewTime": None}], ids=["nonsense", "absent"])
def test_a_lease_whose_renewal_cannot_be_read_is_not_believed(spec):
    fenced = Fenced()
    fenced.lease(**spec)
    assert "last renewed" in fenced.why_not()


def test_without_a_lease_to_follow_the_start_is_a_take_over_too():
    fenced = Fenced("")
    assert "waiting for what the holder before" in fenced.why_not()
    fenced.clock.now += TAKEOVER_SECONDS
    fenced.why_not()
    fenced.pods.listed = 1
    fenced.fence.check()


def test_a_process_beside_the_one_before_it_does_not_begin():
    fenced = Fenced()
    fenced.alone = False
    fenced.lease()
    assert fenced.why_not() == "the process before this one has not ended yet"
    fenced.clock.now += TAKEOVER_SECONDS
    fenced.alone = True
    assert "waiting for what the holder before" in fenced.why_not()


def test_a_clock_that_is_put_back_does_not_prolong_a_lease():
    fenced = Fenced().taken_over()
    fenced.wall.now -= 3600.0
    fenced.clock.now += 11.0 - TAKEOVER_SECONDS
    assert fenced.why_not() == "the scheduler's lease was last renewed 11 s ago"
    fenced.lease()
    fenced.fence.check()
