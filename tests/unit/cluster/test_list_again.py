"""A list that is asked for from outside: it begins after the order, and nothing of before is taken for it."""

from __future__ import annotations

from typing import Any

from tests.unit.cluster.scripted import ScriptedApi, event, page
from webhook.cluster.api import Api
from webhook.cluster.list_watch import ListWatch, Timing
from webhook.cluster.listing import Resource
from webhook.cluster.store import Store

HOLDS = [300.0]


class Ordered:
    """A list-watch whose `keep` orders a new list at the first change that a watch brings."""

    def __init__(self, api: ScriptedApi, steps: int) -> None:
        self.store: Store[Any] = Store()
        self.number = 0
        self.delays: list[float] = []
        self._left = steps
        self._asked: Api = api
        timing = Timing(api.clock, lambda low, high: high, self._wait, lambda: False)
        resource = Resource("Thing", "/api/v1", "things", self._keep)
        self.list_watch = ListWatch(self._asked, resource, self.store, timing)
        self.list_watch.run()

    def _keep(self, obj: Any) -> Any:
        if obj["metadata"]["name"] == "order" and not self.number:
            self.number = self.list_watch.relist()
            assert not self.list_watch.has_listed(self.number)
        return obj

    def _wait(self, seconds: float) -> bool:
        self._left -= 1
        if self._left < 0:
            return True
        self.delays.append(seconds)
        return False


def test_an_ordered_list_follows_the_watch_at_once() -> None:
    api = ScriptedApi([page("a"), page("b")], [[event("ADDED", "order", "11")], HOLDS])
    run = Ordered(api, steps=4)
    assert (api.verbs, run.delays) == (["list", "watch", "list", "watch"], [0, 0, 0, 0])


def test_the_watch_is_woken_by_the_order() -> None:
    api = ScriptedApi([page("a")], [[event("ADDED", "order", "11")], HOLDS])
    Ordered(api, steps=4)
    assert api.sources[0].interrupted


def test_an_ordered_list_is_known_to_be_complete_once_it_is_held() -> None:
    api = ScriptedApi([page("a"), page("b")], [[event("ADDED", "order", "11")], HOLDS])
    run = Ordered(api, steps=3)
    assert run.list_watch.has_listed(run.number)
    assert {obj["metadata"]["name"] for obj in run.store.snapshot()[1]} == {"b"}


def test_a_list_that_had_begun_before_the_order_is_followed_by_another() -> None:
    api = ScriptedApi([page("order"), page("b")], [HOLDS])
    run = Ordered(api, steps=2)
    assert (api.verbs, run.list_watch.has_listed(run.number)) == (["list", "list"], True)
