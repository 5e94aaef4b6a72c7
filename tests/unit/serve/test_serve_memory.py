import gc
import platform

import pytest

from webhook.serve.memory import MemoryBudget, keep_for_good, return_large_blocks


def test_a_budget_is_taken_to_the_last_byte():
    assert MemoryBudget(3).take(3)


def test_a_budget_gives_no_more_than_it_has():
    budget = MemoryBudget(3)
    budget.take(2)
    assert not budget.take(2)
    assert budget.take(1)


def test_what_is_given_back_can_be_taken_again():
    budget = MemoryBudget(3)
    budget.take(3)
    budget.give_back(2)
    assert budget.take(2)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep no large blocks")
def test_glibc_is_told_to_return_large_blocks():
    assert return_large_blocks()


def test_what_is_loaded_is_spared_by_the_garbage_collector():
    before = gc.get_freeze_count()
    try:
        keep_for_good()
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
        keep_for_good.cache_clear()
