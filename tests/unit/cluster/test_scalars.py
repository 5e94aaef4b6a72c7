"""Unquoted YAML words mean what they mean to kubectl (go-yaml 2)."""

from __future__ import annotations

import pytest

from webhook.cluster.scalars import key_text, read_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True), ("Yes", True), ("ON", True), ("true", True),
        ("n", False), ("No", False), ("off", False), ("FALSE", False),
        ("", None), ("~", None), ("null", None), ("Null", None),
        ("0", 0), ("-7", -7), ("+7", 7), ("1_000", 1000),
        ("0777", 511), ("0o17", 15), ("0x1F", 31), ("-0x10", -16), ("0b101", 5),
        ("18446744073709551615", 2**64 - 1), ("-9223372036854775808", -(2**63)),
        ("1.5", 1.5), (".5", 0.5), ("-.5", -0.5), ("2.", 2), ("1e3", 1000),
        ("1.0", 1), ("08", 8), (".2_5", 0.25), ("1E-2", 0.01),
        ("18446744073709551616", 1.8446744073709552e19),
    ],
)  # fmt: skip
def test_words_with_a_meaning(text: str, value: object) -> None:
    found = read_plain(text)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31", "2026-01-31T10:00:00Z", "1:30", "10Gi", "500m", "yEs", "tRue", "nULL", ".", "+",
        "-", "1.2.3", "0x", "0xZZ", "1e", "1e999", "=", "<<", "a_b", ".2__5", "._5", "2s", "nvidia.tesla.k80",
        "1" * 70 + "x",
    ],
)  # fmt: skip
def test_words_that_are_text(text: str) -> None:
    assert read_plain(text) == text


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"])
def test_numbers_that_json_lacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be written in JSON"):
        read_plain(text)


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (5, "5"), (1.5, "1.5"), ("a", "a")]
)
def test_keys_become_text(value: str | float, text: str) -> None:
    assert key_text(value) == text


def test_a_null_key_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be null"):
        key_text(None)
