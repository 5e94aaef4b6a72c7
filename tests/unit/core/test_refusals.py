"""Refusals add up to series, and a series is due at once and then once a minute."""

from __future__ import annotations

from webhook.core.refusals import FORGET_SECONDS, INTERVAL_SECONDS, MOST_SERIES, Aggregate, Occurrence, Series

NOW = 1_000_000.0
LATER = NOW + INTERVAL_SECONDS


def occurrence(message: str = "no", quota: str = "q", namespace: str = "team-a") -> Occurrence:
    return Occurrence(namespace, quota, "QuotaExceeded", message)


def aggregate() -> Aggregate:
    return Aggregate(lambda quota: f"{quota}.1")


def told(known: Aggregate, now: float = NOW) -> Series:
    """Add an occurrence, and write the one series that is due."""
    known.add(occurrence(), now)
    (series,) = known.due(now)
    known.tried(series, now, written=True)
    return series


def test_the_first_refusal_is_told_at_once() -> None:
    known = aggregate()
    known.add(occurrence("no room"), NOW)
    assert known.due(NOW) == (Series("q.1", occurrence("no room"), NOW, NOW),)


def test_what_is_told_is_not_told_again() -> None:
    known = aggregate()
    told(known)
    assert (known.due(LATER), known.wait_seconds(LATER)) == ((), None)


def test_further_refusals_wait_for_the_minute_and_come_as_one() -> None:
    known = aggregate()
    told(known)
    for second in (1, 2, 3):
        known.add(occurrence(f"refusal {second}"), NOW + second)
    assert (known.due(NOW + 3), known.wait_seconds(NOW + 3)) == ((), INTERVAL_SECONDS - 3)
    (series,) = known.due(LATER)
    assert (series.count, series.written, series.latest.message) == (4, 1, "refusal 3")
    assert (series.first, series.last) == (NOW, NOW + 3)


def test_quotas_and_namespaces_are_told_of_apart() -> None:
    known = aggregate()
    for each in (occurrence(), occurrence(quota="other"), occurrence(namespace="team-b"), occurrence()):
        known.add(each, NOW)
    assert [series.count for series in known.due(NOW)] == [2, 1, 1]


def test_what_could_not_be_written_is_tried_a_minute_later() -> None:
    known = aggregate()
    known.add(occurrence(), NOW)
    (series,) = known.due(NOW)
    known.tried(series, NOW, written=False)
    assert (known.due(NOW), known.wait_seconds(NOW)) == ((), INTERVAL_SECONDS)
    assert [(again.count, again.written) for again in known.due(LATER)] == [(1, 0)]


def test_after_an_hour_of_silence_a_refusal_begins_anew() -> None:
    known = aggregate()
    told(known)
    assert told(known, NOW + FORGET_SECONDS).count == 1


def test_quotas_that_were_silent_for_an_hour_make_room() -> None:
    known = aggregate()
    for number in range(MOST_SERIES):
        known.add(occurrence(quota=str(number)), NOW)
    known.due(NOW + FORGET_SECONDS)
    assert known.add(occurrence(), NOW + FORGET_SECONDS)


def test_there_is_an_end_to_the_quotas_that_are_told_of() -> None:
    known = aggregate()
    taken = [known.add(occurrence(quota=str(number)), NOW) for number in range(MOST_SERIES + 1)]
    assert (taken.count(True), taken[-1]) == (MOST_SERIES, False)
    assert known.add(occurrence(quota="0"), NOW), "a known one is counted all the same"
