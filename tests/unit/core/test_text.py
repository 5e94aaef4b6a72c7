"""The shared pieces of the text of answers."""

import pytest

from webhook.core.text import list_of, plural, shorten


@pytest.mark.parametrize(
    ("count", "noun", "expected"),
    [
        (0, "device", "0 devices"),
        (1, "device", "1 device"),
        (2, "device", "2 devices"),
        (2, "class", "2 classes"),
    ],
)
def test_a_noun_follows_its_count(count, noun, expected):
    assert plural(count, noun) == expected


@pytest.mark.parametrize(
    ("names", "most", "expected"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d", "e"], 3, "a, b, c and 2 more"),
    ],
)
def test_names_are_joined_as_in_a_sentence(names, most, expected):
    assert list_of(iter(names), most) == expected


def test_a_text_that_fits_is_left_alone():
    assert shorten("a" * 256) == "a" * 256


def test_a_text_too_long_is_cut_between_words():
    assert shorten("one two three four", 12) == "one two…"


def test_a_single_word_too_long_is_cut_itself():
    assert shorten("x" * 300) == "x" * 255 + "…"


def test_no_punctuation_is_left_before_the_ellipsis():
    assert shorten("alpha beta, gamma", 12) == "alpha beta…"
