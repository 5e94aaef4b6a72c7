"""The pure decisions of the list-watch that its runs do not show."""

from __future__ import annotations

import pytest

from webhook.cluster.api import ApiError
from webhook.cluster.course import Course, Watched, read_event
from webhook.core.errors import ClusterUnavailable


def low(least: float, most: float) -> float:
    return least


def high(least: float, most: float) -> float:
    return most


def test_the_first_delay_is_between_one_and_two_seconds() -> None:
    course = Course("10").failed(ClusterUnavailable("refused"))
    assert (course.delay_seconds(low), course.delay_seconds(high)) == (1, 2)


def test_the_longest_delay_leaves_time_to_be_in_step_after_half_a_minute() -> None:
    course = Course("10", setbacks=10_000).failed(ClusterUnavailable("refused"))
    assert (course.delay_seconds(low), course.delay_seconds(high)) == (7.5, 15)


def test_a_list_alone_does_not_show_that_the_trouble_is_over() -> None:
    assert Course(None, setbacks=3).listed("10").setbacks == 3


def test_a_watch_that_breaks_late_is_a_first_setback() -> None:
    watched = Watched("12", changes=0, seconds=200.0)
    assert Course("10", setbacks=5).failed(ClusterUnavailable("reset"), watched).setbacks == 1


def test_a_resource_that_vanishes_is_listed_again() -> None:
    assert Course("10").failed(ApiError("not found", 404), Watched("12")).version is None


@pytest.mark.parametrize("reason", ["Expired", "Gone"])
def test_an_error_event_is_an_expiry_by_its_reason_too(reason: str) -> None:
    with pytest.raises(ApiError, match="too old") as caught:
        read_event({"type": "ERROR", "object": {"reason": reason, "message": "too old"}})
    assert caught.value.status == 410


def test_an_error_event_without_a_code_is_an_internal_error() -> None:
    with pytest.raises(ApiError) as caught:
        read_event({"type": "ERROR", "object": {}})
    assert caught.value.status == 500


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"type": "ADDED"},
        {"type": "ADDED", "object": None},
        {"type": "ADDED", "object": {"metadata": None}},
        {"type": "ADDED", "object": {"metadata": {"resourceVersion": 7}}},
    ],
)
def test_an_event_without_a_version_is_unreadable(raw: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="unreadable watch event"):
        read_event(raw)
