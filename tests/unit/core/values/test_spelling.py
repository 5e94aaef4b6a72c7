"""Which name a text is close to."""

from webhook.core.values.spelling import closest


def test_the_nearest_of_several_names_is_returned():
    assert closest("nvidia.a100", ["nvidia.a10g", "nvidia.a101", "nvidia.a100-"]) == "nvidia.a100-"


def test_among_equally_near_names_the_first_by_alphabet_is_returned():
    assert closest("h10", ["h20", "h100"]) == "h100"


def test_a_swap_of_neighbours_is_one_slip_even_in_a_short_name():
    assert closest("4t", ["t4"]) == "t4"


def test_two_slips_are_too_many_in_a_short_name():
    assert closest("k9", ["t4"]) is None


def test_a_long_text_is_no_slip_of_anything():
    assert closest("a" * 1_000_000, ["a" * 63]) is None
