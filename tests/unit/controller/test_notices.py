"""Events are few: each thing once an hour, and never a flood."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.controller.notices import AGAIN_SECONDS, MESSAGE_LENGTH, MOST, PER_SECONDS, Notices
from webhook.core.errors import ClusterUnavailable

Json = dict[str, Any]


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class FakeEvents:
    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []
        self.away = False

    def tell(self, about: Json, reason: str, message: str) -> None:
        if self.away:
            raise ClusterUnavailable("connection refused")
        self.told.append((about["name"], reason, message))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def events() -> FakeEvents:
    return FakeEvents()


@pytest.fixture
def notices(events: FakeEvents, clock: Clock) -> Notices:
    return Notices(events, clock)


def node(name: str = "a") -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": f"uid-{name}"}}


def test_a_thing_is_told_once_an_hour(notices: Notices, events: FakeEvents, clock: Clock) -> None:
    for _ in range(3):
        notices.tell(node(), "Doubt", "two sources")
    notices.tell(node(), "Doubt", "another text")
    assert [message for _, _, message in events.told] == ["two sources", "another text"]
    clock.now += AGAIN_SECONDS
    notices.tell(node(), "Doubt", "two sources")
    assert len(events.told) == 3


def test_a_crowd_is_cut_and_the_rest_told_later(notices: Notices, events: FakeEvents, clock: Clock) -> None:
    def tell_all() -> None:
        for number in range(MOST + 5):
            notices.tell(node(str(number)), "Doubt", "text")

    tell_all()
    assert len(events.told) == MOST
    clock.now += PER_SECONDS
    tell_all()
    assert len({name for name, _, _ in events.told}) == MOST + 5


def test_what_could_not_be_written_is_told_at_the_next_occasion(notices: Notices, events: FakeEvents) -> None:
    events.away = True
    notices.tell(node(), "Doubt", "text")
    events.away = False
    notices.tell(node(), "Doubt", "text")
    assert len(events.told) == 1


def test_a_long_message_is_cut(notices: Notices, events: FakeEvents) -> None:
    notices.tell(node(), "Doubt", "word " * 1000)
    assert len(events.told[0][2]) <= MESSAGE_LENGTH
