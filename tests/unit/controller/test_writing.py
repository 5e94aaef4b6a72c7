"""Each write names its manager, the object that was seen, and is made only by who may write."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.cluster.api import STRATEGIC, ApiError
from webhook.controller.kept import CLASSES, DEVICES, NODES, QUOTAS
from webhook.controller.writing import WRITE_SECONDS, Writer
from webhook.core.errors import NotReady

Json = dict[str, Any]
MANAGED = {"fieldManager": "resourceclass-controller"}


class FakeApi:
    def __init__(self) -> None:
        self.sent: list[tuple[str, str, Json, Any]] = []
        self.failure: Exception | None = None

    def send(self, method: str, path: str, document: Json, seconds: float, query: Json | None = None) -> Json:
        assert seconds == WRITE_SECONDS
        if self.failure is not None:
            raise self.failure
        self.sent.append((method, path, document, query))
        return document


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture
def writer(api: FakeApi) -> Writer:
    return Writer(api, lambda: None)  # type: ignore[arg-type]


OURS = "/apis/resourceclass.io/v1alpha1"
SEEN = {"metadata": {"name": "a", "uid": "u"}}


def test_patches_name_the_uid_of_what_was_seen(api: FakeApi, writer: Writer) -> None:
    writer.patch(DEVICES, SEEN, {"status": {"phase": "Bound"}}, "status")
    writer.patch(DEVICES, SEEN, {"metadata": {"labels": {"x": "y"}}})
    writer.patch_node(NODES, SEEN, {"metadata": {"labels": {"x": "y"}}, "status": {"capacity": {}}})
    assert api.sent == [
        (
            "PATCH",
            f"{OURS}/extendedresources/a/status",
            {"status": {"phase": "Bound"}, "metadata": {"uid": "u"}},
            MANAGED,
        ),
        (
            "PATCH",
            f"{OURS}/extendedresources/a",
            {"metadata": {"labels": {"x": "y"}, "uid": "u"}},
            MANAGED,
        ),
        (
            STRATEGIC,
            "/api/v1/nodes/a/status",
            {"metadata": {"labels": {"x": "y"}, "uid": "u"}, "status": {"capacity": {}}},
            MANAGED,
        ),
    ]


def test_objects_are_created_where_they_belong(api: FakeApi, writer: Writer) -> None:
    writer.create(CLASSES, {"metadata": {"name": "k80"}})
    writer.create(QUOTAS, {"metadata": {"name": "q", "namespace": "team-a"}})
    assert [path for _, path, _, _ in api.sent] == [
        f"{OURS}/resourceclasses",
        "/api/v1/namespaces/team-a/resourcequotas",
    ]


def test_only_the_object_that_was_seen_is_deleted(api: FakeApi, writer: Writer) -> None:
    writer.delete(DEVICES, SEEN)
    ((method, path, options, _),) = api.sent
    assert (method, path) == ("DELETE", f"{OURS}/extendedresources/a")
    assert options["preconditions"] == {"uid": "u"}


@pytest.mark.parametrize("status", [404, 409])
def test_what_is_gone_or_another_by_now_is_as_good_as_deleted_or_evicted(
    api: FakeApi, writer: Writer, status: int
) -> None:
    api.failure = ApiError("gone", status)
    writer.delete(DEVICES, SEEN)
    writer.evict("team-a", "p", "u")


def test_an_eviction_that_is_refused_is_told(api: FakeApi, writer: Writer) -> None:
    api.failure = ApiError("disruption budget", 429)
    with pytest.raises(ApiError):
        writer.evict("team-a", "p", "u")


def test_who_may_not_write_sends_nothing(api: FakeApi) -> None:
    def check() -> None:
        raise NotReady("not the leader")

    writer = Writer(api, check)  # type: ignore[arg-type]
    for write in (
        lambda: writer.create(CLASSES, SEEN),
        lambda: writer.patch(CLASSES, SEEN, {}),
        lambda: writer.patch_node(NODES, SEEN, {}),
        lambda: writer.delete(CLASSES, SEEN),
        lambda: writer.evict("team-a", "p", "u"),
    ):
        with pytest.raises(NotReady):
            write()
    assert api.sent == []
