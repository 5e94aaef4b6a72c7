"""Quantities: what is refused and how they print. That they are exact is a property test."""

import pytest

from webhook.core.values.quantity import BadQuantity, parse_amount, parse_quantity


@pytest.mark.parametrize(
    "value",
    [
        "",
        " 1",
        "1 ",
        "0x2",
        "\uff12",
        ".",
        "+",
        "1ki",
        "1KiB",
        "1e",
        "1e1.5",
        "1,5",
        "nan",
        "inf",
        True,
        [],
        {},
    ],
)
def test_what_the_api_server_would_not_read_is_refused(value):
    with pytest.raises(BadQuantity, match="is not a quantity"):
        parse_quantity(value)


@pytest.mark.parametrize(
    "value",
    ["1" * 401, pytest.param(10**5000, id="an int of 5,000 digits"), "1e201", "1e-201", "1e" + "9" * 390],
)
def test_a_number_of_absurd_length_is_refused_at_once(value):
    with pytest.raises(BadQuantity):
        parse_quantity(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [("1500m", "1.5"), ("-2", "-2"), ("1Ki", "1024"), (1.5, "1.5"), ("1n", "0.000000001"), (0, "0")],
)
def test_a_quantity_prints_as_a_plain_number(value, text):
    assert str(parse_quantity(value)) == text


def test_less_than_a_nano_is_rounded_away_from_zero():
    assert parse_quantity("0.1n") == parse_quantity("1n")
    assert parse_quantity("-0.1n") == parse_quantity("-1n")


@pytest.mark.parametrize("value", ["0.5", "500m", "1.5", "1500m", "0.1m"])
def test_a_fraction_is_no_number_of_devices(value):
    with pytest.raises(BadQuantity, match="must be a whole number"):
        parse_amount(value)


def test_a_negative_number_is_no_number_of_devices():
    with pytest.raises(BadQuantity, match="must be a whole number, 0 or more"):
        parse_amount("-1")


def test_null_is_zero_as_the_server_reads_it():
    assert parse_amount(None) == 0
