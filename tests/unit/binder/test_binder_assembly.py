"""The parts together: what is watched, what is missing at first, and one process at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from webhook.binder.alone import Alone
from webhook.binder.assembly import LeaseName, Parts, assemble
from webhook.core.errors import NotReady


class EmptySource:
    """A watch in which nothing happens until it is interrupted."""

    def __init__(self) -> None:
        self._ended = threading.Event()

    def __iter__(self) -> Iterator[Any]:
        self._ended.wait()
        return iter(())

    def interrupt(self) -> None:
        self._ended.set()

    def close(self) -> None:
        self._ended.set()


class EmptyApi:
    """An API server that holds nothing, and answers lists once it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.lists: list[str] = []

    def get(self, path: str, query: Mapping[str, Any] | None = None, seconds: float = 30.0) -> Any:
        self.opened.wait()
        self.lists.append(path)
        return {"metadata": {"resourceVersion": "1"}, "items": []}

    def send(self, method: str, path: str, document: Any, seconds: float = 30.0) -> Any:
        raise NotImplementedError

    def watch(self, path: str, query: Mapping[str, Any], silence_seconds: float) -> EmptySource:
        return EmptySource()


def wait_synced(parts: Parts) -> None:
    deadline = threading.Event()
    for _ in range(500):
        if not parts.not_synced():
            return
        deadline.wait(0.01)
    raise AssertionError(parts.not_synced())


@pytest.fixture
def api() -> EmptyApi:
    return EmptyApi()


@pytest.fixture
def parts(api: EmptyApi) -> Iterator[Parts]:
    made = assemble(api, LeaseName("infra", "scheduler", "pod-a"))
    made.start()
    yield made
    api.opened.set()
    made.close()


def test_every_collection_is_missing_until_it_was_listed(api, parts):
    kinds = [text.partition(":")[0] for text in parts.not_synced()]
    assert kinds == ["ResourceClass", "Node", "ExtendedResource", "Pod", "Lease"]
    api.opened.set()
    wait_synced(parts)


def test_without_a_holder_of_the_lease_nothing_is_decided(api, parts):
    api.opened.set()
    wait_synced(parts)
    with pytest.raises(NotReady, match="nobody holds"):
        parts.fence.check()


def test_a_list_of_pods_can_be_ordered(api, parts):
    api.opened.set()
    wait_synced(parts)
    number = parts.watches.relist()
    for _ in range(500):
        if parts.watches.has_listed(number):
            break
        threading.Event().wait(0.01)
    assert parts.watches.has_listed(number)
    assert api.lists.count("/api/v1/pods") == 2


def test_each_kind_tells_its_age_and_its_lists(api, parts):
    api.opened.set()
    wait_synced(parts)
    assert {kind: parts.watches.lists(kind) for kind in parts.watches.kinds} == dict.fromkeys(
        ("ResourceClass", "Node", "ExtendedResource", "Pod", "Lease"), 1
    )
    assert all(parts.watches.age_seconds(kind) is not None for kind in parts.watches.kinds)


def test_only_one_process_of_a_server_is_alone():
    name = f"test-{os.getpid()}"
    first, second = Alone(name), Alone(name)
    assert (first(), second(), first()) == (True, False, True)
    first.close()
    assert second()
    second.close()


@pytest.mark.parametrize("held", [True, False])
def test_who_has_given_the_name_up_is_never_alone_again(held):
    first = Alone(f"test-{os.getpid()}-{held}")
    assert not held or first()
    first.close()
    assert not first()


def test_the_name_is_that_of_the_server():
    first = Alone()
    assert first()
    assert not Alone()()
    first.close()
