"""Lists and single reads: what is not an expired page is passed on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.cluster.scripted import ScriptedApi, page
from webhook.cluster.api import ApiError
from webhook.cluster.listing import MAX_PAGES, Resource, list_all, read_one
from webhook.core.errors import ClusterUnavailable

THINGS: Resource[Any] = Resource("Thing", "/api/v1", "things", lambda obj: obj, {"fieldSelector": "a=b"})


def test_every_page_is_asked_for_with_the_selector() -> None:
    api = ScriptedApi([page("a", token="t"), page("b")])
    list_all(api, THINGS)
    assert [query["fieldSelector"] for query in api.queries("list")] == ["a=b", "a=b"]


def test_a_list_gives_the_version_to_watch_from() -> None:
    assert (
        list_all(ScriptedApi([page("a", version="7", token="t"), page("b", version="7")]), THINGS).version
        == "7"
    )


def test_a_list_without_items_is_empty() -> None:
    assert list_all(ScriptedApi([{"metadata": {"resourceVersion": "7"}, "items": None}]), THINGS).items == []


def test_a_refused_list_is_refused() -> None:
    with pytest.raises(ApiError, match="forbidden"):
        list_all(ScriptedApi([ApiError("forbidden", 403)]), THINGS)


def test_a_list_that_expires_twice_is_refused() -> None:
    with pytest.raises(ApiError, match="gone"):
        list_all(ScriptedApi([ApiError("gone", 410)]), THINGS)


def test_a_list_without_end_is_given_up() -> None:
    api = ScriptedApi([page(token="more")])
    with pytest.raises(ClusterUnavailable, match=f"does not end after {MAX_PAGES} pages"):
        list_all(api, THINGS)


def test_a_refused_read_is_refused() -> None:
    with pytest.raises(ApiError, match="forbidden"):
        read_one(ScriptedApi([ApiError("forbidden", 403)]), "/api/v1/things/a")
