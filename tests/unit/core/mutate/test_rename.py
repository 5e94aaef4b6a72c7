"""Spellings of a class in a map of amounts."""

import pytest

from tests.unit.core.mutate.objects import CLASSES, K80, STORED_K80
from webhook.core.mutate.rename import container_spelling, of_existing, quota_spelling, rename

QUOTA_K80 = f"requests.{STORED_K80}"


def in_container(amounts):
    return rename(amounts, container_spelling, of_existing(CLASSES))


def in_quota(amounts):
    return rename(amounts, quota_spelling, of_existing(CLASSES))


def test_a_map_without_a_class_is_the_same_map():
    amounts = {"cpu": "1", "nvidia.com/gpu": 1, "unknown": 2}
    assert in_container(amounts).amounts == amounts
    assert in_container(amounts).renames == {}


def test_the_order_of_keys_is_kept():
    assert list(in_container({"cpu": 1, K80: 2, "memory": 3}).amounts) == ["cpu", STORED_K80, "memory"]


def test_what_was_typed_is_remembered():
    renamed = in_container({K80: 1, "resourceclass.io/t4": 2})
    assert renamed.typed == {STORED_K80: K80, "resourceclass.io/t4": "resourceclass.io/t4"}
    assert renamed.renames == {K80: STORED_K80}


SPELLINGS = [K80, f"requests.{K80}", STORED_K80, f"limits.{K80}", f"limits.{STORED_K80}", QUOTA_K80]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_in_a_quota_is_stored_as_the_one_that_is_enforced(spelling):
    assert in_quota({"pods": 1, spelling: "5"}).amounts == {"pods": 1, QUOTA_K80: "5"}


@pytest.mark.parametrize("position", range(len(SPELLINGS) - 1))
def test_of_several_spellings_in_a_quota_the_least_qualified_wins(position):
    amounts = {spelling: str(rank) for rank, spelling in enumerate(SPELLINGS)}
    rest = dict(list(amounts.items())[position:][::-1])
    assert in_quota(rest).amounts == {QUOTA_K80: str(position)}
