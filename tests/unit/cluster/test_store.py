"""The memory of a watched collection."""

from __future__ import annotations

from webhook.cluster.store import Derived, Store


def filled() -> Store[int]:
    store: Store[int] = Store()
    store.replace([(("team-a", "x"), 1), (("team-a", "y"), 2), (("team-b", "x"), 3)])
    return store


def test_gives_the_objects_of_one_namespace() -> None:
    assert sorted(filled().of_namespace("team-a")) == [1, 2]


def test_names_are_told_apart_by_namespace() -> None:
    store = filled()
    store.remove(("team-a", "x"))
    assert (store.get(("team-a", "x")), store.get(("team-b", "x"))) == (None, 3)


def test_replacing_forgets_what_is_not_named() -> None:
    store = filled()
    store.replace([(("team-c", "z"), 9)])
    assert store.snapshot()[1] == [9]


def test_removing_what_is_not_there_changes_nothing() -> None:
    store = filled()
    before = store.generation
    store.remove(("nowhere", "x"))
    assert store.generation == before


def test_the_same_value_again_changes_nothing() -> None:
    store = filled()
    before = store.generation
    store.put(("team-a", "x"), 1)
    assert store.generation == before


def test_what_is_derived_is_computed_once_per_change() -> None:
    store, computed = filled(), []
    total = Derived(store, lambda values: computed.append(values) or sum(values))
    assert [total.get(), total.get()] == [6, 6]
    store.put(("team-a", "x"), 10)
    assert (total.get(), len(computed)) == (15, 2)
