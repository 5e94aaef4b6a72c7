"""The list-watch against a scripted API server: what it asks, what it holds, how long it waits."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from tests.unit.cluster.scripted import (
    Run,
    ScriptedApi,
    bookmark,
    event,
    gone,
    gone_event,
    page,
    silence,
    thing,
)
from webhook.cluster.api import ApiError
from webhook.cluster.course import Course
from webhook.cluster.list_watch import SILENCE_SECONDS, ListWatch, Timing
from webhook.cluster.listing import Resource
from webhook.cluster.store import Store
from webhook.core.errors import ClusterUnavailable

HOLDS = [300.0]
"""A watch in which nothing happens until the server ends it, as it should."""


def test_holds_what_the_list_holds() -> None:
    assert Run(ScriptedApi([page("a", "b")], [HOLDS]), steps=1).names == {"a", "b"}


def test_watches_from_the_version_of_the_list_with_bookmarks_and_a_time_limit() -> None:
    api = ScriptedApi([page("a", version="42")], [HOLDS])
    Run(api, steps=2)
    assert api.queries("watch") == [
        {"watch": "true", "resourceVersion": "42", "allowWatchBookmarks": "true", "timeoutSeconds": 300}
    ]


def test_follows_additions_changes_and_deletions() -> None:
    watch = [event("ADDED", "b", "11"), event("MODIFIED", "a", "12", spec=1), event("DELETED", "b", "13")]
    run = Run(ScriptedApi([page("a")], [[*watch, *HOLDS]]), steps=2)
    assert run.store.snapshot()[1] == [thing("a", "12", spec=1)]


def test_forgets_an_object_that_is_no_longer_of_interest() -> None:
    api = ScriptedApi([page("a")], [[event("MODIFIED", "a", "11", spec=None)]])
    assert Run(api, steps=2, keep=lambda obj: None if "spec" in obj else obj).names == set()


def test_an_object_of_no_interest_is_not_listed() -> None:
    api = ScriptedApi([page("a", "b")], [HOLDS])
    assert Run(api, steps=1, keep=lambda obj: obj if obj["metadata"]["name"] == "b" else None).names == {"b"}


def test_a_watch_that_ran_its_time_is_followed_by_another_at_once_without_a_list() -> None:
    api = ScriptedApi([page("a")], [HOLDS])
    run = Run(api, steps=4)
    assert (api.verbs, run.delays) == (["list", "watch", "watch", "watch"], [0, 0, 0, 0])


def test_goes_on_from_the_version_of_the_last_event() -> None:
    api = ScriptedApi([page(version="10")], [[event("ADDED", "a", "17")], HOLDS])
    Run(api, steps=3)
    assert [query["resourceVersion"] for query in api.queries("watch")] == ["10", "17"]


def test_goes_on_from_the_version_of_the_last_bookmark() -> None:
    api = ScriptedApi([page(version="10")], [[bookmark("99"), *HOLDS]])
    Run(api, steps=3)
    assert [query["resourceVersion"] for query in api.queries("watch")] == ["10", "99"]


def test_a_bookmark_changes_no_object() -> None:
    run = Run(ScriptedApi([page("a")], [[bookmark("99"), *HOLDS]]), steps=2)
    assert run.names == {"a"}


@pytest.mark.parametrize("expiry", [gone(), [gone_event()]], ids=["answer", "event"])
def test_an_expired_version_leads_to_a_new_list_at_once(expiry: object) -> None:
    api = ScriptedApi([page("a", version="10"), page("b", version="50")], [expiry, HOLDS])  # type: ignore[list-item]
    run = Run(api, steps=4)
    assert (api.verbs, run.delays) == (["list", "watch", "list", "watch"], [0, 0, 0, 0])
    assert run.names == {"b"}


def test_expiry_after_every_list_is_slowed_down() -> None:
    run = Run(ScriptedApi([page()], [gone()]), steps=11)
    assert run.delays == [0, 0, 0, 0, 4, 0, 8, 0, 15, 0, 15]


def test_the_version_that_expired_is_never_used_again() -> None:
    api = ScriptedApi([page(version="10"), page(version="50")], [gone(), gone(), HOLDS])
    Run(api, steps=6)
    assert [query["resourceVersion"] for query in api.queries("watch")] == ["10", "50", "50"]


def test_silence_leads_to_a_new_watch_from_the_same_version() -> None:
    api = ScriptedApi([page("a", version="10")], [[SILENCE_SECONDS, silence()], HOLDS])
    run = Run(api, steps=3)
    assert [query["resourceVersion"] for query in api.queries("watch")] == ["10", "10"]
    assert (run.names, run.delays[-1]) == ({"a"}, 2)


def test_a_watch_that_breaks_keeps_what_it_has_brought() -> None:
    api = ScriptedApi([page(version="10")], [[event("ADDED", "a", "11"), silence()], HOLDS])
    run = Run(api, steps=3)
    assert (run.names, api.queries("watch")[1]["resourceVersion"]) == ({"a"}, "11")


def test_watches_that_the_server_closes_at_once_are_slowed_down() -> None:
    api = ScriptedApi([page("a")], [[]])
    run = Run(api, steps=9)
    assert run.delays == [0, 0, 2, 4, 8, 15, 15, 15, 15]
    assert api.verbs == ["list"] + ["watch"] * 8


def test_watches_with_nothing_but_a_bookmark_are_slowed_down() -> None:
    assert Run(ScriptedApi([page()], [[bookmark("11")]]), steps=4).delays == [0, 0, 2, 4]


def test_an_event_ends_the_slowing_down() -> None:
    api = ScriptedApi([page()], [[], [], [event("ADDED", "a", "11")], HOLDS])
    assert Run(api, steps=5).delays == [0, 0, 2, 4, 0]


def test_errors_of_the_watch_are_slowed_down() -> None:
    run = Run(ScriptedApi([page("a")], [ApiError("boom", 500)]), steps=5)
    assert (run.delays, run.names) == ([0, 0, 2, 4, 8], {"a"})


def test_waits_for_an_api_server_that_comes_late() -> None:
    api = ScriptedApi([ClusterUnavailable("refused"), ClusterUnavailable("refused"), page("a")], [HOLDS])
    run = Run(api, steps=3)
    assert (run.names, run.delays, run.list_watch.synced) == ({"a"}, [0, 2, 4], True)


def test_is_not_synced_while_the_api_server_is_away() -> None:
    run = Run(ScriptedApi([ClusterUnavailable("refused")]), steps=2)
    assert (run.list_watch.synced, run.list_watch.problem) == (False, "refused")


def test_a_resource_that_is_not_installed_is_asked_for_every_ten_seconds_at_most() -> None:
    run = Run(ScriptedApi([ApiError("the server could not find the requested resource", 404)]), steps=6)
    assert run.delays == [0, 2, 4, 8, 10, 10]
    assert "not installed in the cluster" in run.list_watch.problem


def test_a_problem_is_logged_once_however_often_it_repeats(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    Run(ScriptedApi([ClusterUnavailable("refused")]), steps=5)
    assert caplog.messages == ["Thing: refused"]


def test_the_end_of_a_watch_is_everyday_life_and_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    Run(ScriptedApi([page()], [[bookmark("11"), silence()], HOLDS]), steps=3)
    assert caplog.messages == []


def test_an_api_server_that_stays_away_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    Run(ScriptedApi([page()], [[silence()], ClusterUnavailable("refused")]), steps=4)
    assert caplog.messages == ["Thing: refused"]


def test_recovery_is_logged_and_clears_the_problem(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    run = Run(ScriptedApi([ClusterUnavailable("refused"), page()], [HOLDS]), steps=3)
    assert caplog.messages == ["Thing: refused", "Thing: in step with the API server"]
    assert run.list_watch.problem == ""


def test_reads_a_long_list_in_pages() -> None:
    api = ScriptedApi([page("a", token="t1"), page("b", token="t2"), page("c")], [HOLDS])
    run = Run(api, steps=1)
    assert api.queries("list") == [
        {"limit": 500},
        {"limit": 500, "continue": "t1"},
        {"limit": 500, "continue": "t2"},
    ]
    assert run.names == {"a", "b", "c"}


def test_a_list_that_expires_between_two_pages_is_read_again_whole() -> None:
    api = ScriptedApi([page("stale", token="t1"), gone(), page("a", "b")], [HOLDS])
    run = Run(api, steps=1)
    assert api.queries("list") == [{"limit": 500}, {"limit": 500, "continue": "t1"}, {}]
    assert run.names == {"a", "b"}


def test_a_list_that_fails_halfway_leaves_the_store_as_it_was() -> None:
    api = ScriptedApi([page("a"), page("b", token="t1"), silence()], [gone()])
    assert Run(api, steps=3).names == {"a"}


def test_a_new_list_drops_what_is_gone() -> None:
    api = ScriptedApi([page("a", "b"), page("b", "c")], [gone(), HOLDS])
    assert Run(api, steps=3).names == {"b", "c"}


def test_an_unreadable_event_leads_to_a_new_list(caplog: pytest.LogCaptureFixture) -> None:
    api = ScriptedApi([page("a"), page("b")], [[{"type": "NEWS", "object": {}}], HOLDS])
    run = Run(api, steps=3)
    assert (api.verbs, run.names) == (["list", "watch", "list"], {"b"})
    assert "unreadable watch event of type 'NEWS'" in caplog.text


def test_a_fault_of_ours_does_not_end_the_thread(caplog: pytest.LogCaptureFixture) -> None:
    def keep(obj: object) -> object:
        raise RuntimeError("a bug")

    run = Run(ScriptedApi([page("a")]), steps=3, keep=keep)
    assert run.delays == [0, 2, 4]
    assert "RuntimeError: a bug" in caplog.text


def test_the_order_to_stop_ends_a_watch_between_two_events() -> None:
    api = ScriptedApi([page()], [[event("ADDED", "a", "11"), event("ADDED", "b", "12")]])
    store: Store[object] = Store()
    stepped(api, store, stopping=lambda: store.generation > 0)
    assert (store.get(("team-a", "a")) is None, store.get(("team-a", "b")) is None) == (False, True)


def test_the_order_to_stop_ends_a_watch_that_was_being_opened() -> None:
    api = ScriptedApi([page()], [[event("ADDED", "a", "11")]])
    store = stopped(api)
    assert (store.generation, api.sources[0].closed) == (0, True)


def test_being_woken_up_to_stop_is_no_problem_to_report(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    api = ScriptedApi([page()], [[5.0, silence()]])
    before = api.clock.now
    stepped(api, Store(), stopping=lambda: api.clock.now > before)
    assert caplog.messages == []


def stopped(api: ScriptedApi) -> Store[object]:
    """Take one step from version 10 with the order to stop given already."""
    store: Store[object] = Store()
    stepped(api, store, stopping=lambda: True)
    return store


def stepped(api: ScriptedApi, store: Store[object], stopping: Callable[[], bool]) -> None:
    timing = Timing(api.clock, lambda low, high: high, lambda seconds: True, stopping)
    ListWatch(api, Resource("Thing", "/api/v1", "things", lambda obj: obj), store, timing).step(Course("10"))


def test_every_watch_is_closed() -> None:
    api = ScriptedApi([page()], [HOLDS, [silence()], [gone_event()], HOLDS])
    Run(api, steps=8)
    assert len(api.sources) > 3
    assert all(source.closed for source in api.sources)


def test_age_counts_from_the_last_sign_of_the_api_server() -> None:
    api = ScriptedApi([page()], [[bookmark("11"), 70.0]])
    assert Run(api, steps=2).list_watch.age_seconds() == 70


def test_follows_changes_only_while_a_watch_is_open() -> None:
    api = ScriptedApi([page()], [[event("ADDED", "a", "11")]])
    seen: list[bool] = []

    def keep(obj: object) -> object:
        seen.append(run.following)
        return obj

    timing = Timing(api.clock, lambda low, high: high, lambda seconds: True, lambda: False)
    run = ListWatch(api, Resource("Thing", "/api/v1", "things", keep), Store[object](), timing)
    run.step(Course("10"))
    assert (seen, run.following) == ([True], False)


def test_there_is_no_age_before_the_first_list() -> None:
    assert Run(ScriptedApi([silence()]), steps=2).list_watch.age_seconds() is None


def test_counts_its_lists() -> None:
    api = ScriptedApi([page()], [HOLDS, gone(), HOLDS])
    assert Run(api, steps=5).list_watch.lists == 2
