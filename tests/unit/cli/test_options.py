"""Settings classes read as options."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest

from webhook.cli.options import BadSettings, build, options_of


@dataclass(frozen=True)
class Inner:
    """A group."""

    max_wait_seconds: float = 1.5
    """How long to wait,
    in seconds."""


@dataclass(frozen=True)
class Outer:
    """A part."""

    name: str
    """Its name."""
    inner: Inner = field(default_factory=Inner)
    mode: Literal["warn", "deny"] = "deny"
    count: int = 2
    quiet: bool = False
    file: str | None = None
    folder: Annotated[str, "DIR"] = ""


OPTIONS = {option.name: option for option in options_of(Outer)}


def test_options_come_in_the_order_of_the_fields_with_groups_flattened():
    assert list(OPTIONS) == ["name", "max-wait-seconds", "mode", "count", "quiet", "file", "folder"]


def test_the_string_below_a_field_is_its_help_on_one_line():
    assert OPTIONS["max-wait-seconds"].help == "How long to wait, in seconds."


def test_a_field_without_a_string_has_no_help():
    assert OPTIONS["count"].help == ""


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("folder", "DIR"),
        ("mode", "warn|deny"),
        ("count", "NUMBER"),
        ("max-wait-seconds", "SECONDS"),
        ("quiet", "true|false"),
        ("file", "TEXT"),
    ],
)
def test_the_word_for_a_value_comes_from_the_annotation_or_its_type(name, word):
    assert OPTIONS[name].word == word


def test_choices_come_from_the_annotation():
    assert OPTIONS["mode"].choices == ("warn", "deny")


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("name", "x", "x"),
        ("file", "f", "f"),
        ("mode", "warn", "warn"),
        ("count", "3", 3),
        ("count", 3, 3),
        ("max-wait-seconds", "0.5", 0.5),
        ("max-wait-seconds", 2, 2.0),
        ("quiet", "true", True),
        ("quiet", False, False),
    ],
)
def test_values_are_read_from_argv_and_yaml_alike(name, value, read):
    assert OPTIONS[name].read(value) == read


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("name", "", "not empty"),
        ("name", 5, "must be a text"),
        ("mode", "off", "one of warn, deny"),
        ("count", "many", "whole number"),
        ("count", 1.5, "whole number"),
        ("count", True, "whole number"),
        ("count", None, "whole number"),
        ("max-wait-seconds", "soon", "must be a number"),
        ("max-wait-seconds", "inf", "ends"),
        ("max-wait-seconds", "nan", "ends"),
        ("quiet", "maybe", "true or false"),
    ],
)
def test_other_values_are_refused_in_words(name, value, words):
    with pytest.raises(ValueError, match=words):
        OPTIONS[name].read(value)


def test_what_is_given_is_built_into_the_tree():
    built = build(Outer, {"name": "x", "max-wait-seconds": 9.0})
    assert built == Outer("x", Inner(9.0))


def test_all_problems_are_kept_apart_and_told_together():
    error = BadSettings(["one", "two"])
    assert (error.problems, str(error)) == (["one", "two"], "one; two")
