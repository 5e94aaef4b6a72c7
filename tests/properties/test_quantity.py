"""Quantities are exact: the same numbers and the same order as two independent readers give."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

from hypothesis import given
from hypothesis import strategies as st
from kubernetes.utils.quantity import parse_quantity as parse_with_the_client

from webhook.core.values.memory import UNITS, parse_class_memory, parse_device_memory
from webhook.core.values.quantity import NANOS, BadQuantity, parse_amount, parse_quantity

DIGITS = st.text("0123456789", min_size=1, max_size=9)
NUMBERS = st.builds("{}{}.{}".format, st.sampled_from(["", "+", "-"]), DIGITS, DIGITS)
WHOLE_NUMBERS = st.builds("{}{}".format, st.sampled_from(["", "+", "-"]), DIGITS)
EXPONENTS = st.builds(
    "{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 9)
)
SUFFIXES = st.sampled_from(["", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])
QUANTITIES = st.builds("{}{}".format, NUMBERS | WHOLE_NUMBERS, SUFFIXES | EXPONENTS)


def nanos_of(value):
    """Return a Decimal in nanos, rounded away from zero as the server rounds."""
    with localcontext() as context:
        context.prec = 100
        nanos = (abs(value) * NANOS).to_integral_value(ROUND_CEILING)
        return int(nanos) * (-1 if value < 0 else 1)


@given(QUANTITIES)
def test_a_quantity_is_the_number_that_the_python_client_reads(text):
    with localcontext() as context:
        context.prec = 100
        expected = nanos_of(parse_with_the_client(text))
    assert parse_quantity(text).nanos == expected


@given(QUANTITIES, QUANTITIES)
def test_quantities_are_ordered_like_the_numbers_they_are(one, other):
    with localcontext() as context:
        context.prec = 100
        expected = nanos_of(parse_with_the_client(one)) < nanos_of(parse_with_the_client(other))
    assert (parse_quantity(one) < parse_quantity(other)) == expected


@given(QUANTITIES)
def test_a_printed_quantity_is_read_back_as_the_same(text):
    quantity = parse_quantity(text)
    assert parse_quantity(str(quantity)) == quantity


@given(st.integers(0, 10**40))
def test_a_number_of_devices_is_read_back_whatever_its_size(units):
    assert parse_amount(str(units)) == units


@given(st.text(max_size=12) | st.integers() | st.floats() | st.none() | st.lists(st.none()) | st.booleans())
def test_anything_is_a_quantity_or_a_bad_one(value):
    try:
        assert isinstance(parse_amount(value), int)
    except BadQuantity as error:
        assert str(error)  # noqa: PT017


@given(st.integers(0, 10**7), st.text("0123456789", max_size=6), st.sampled_from(sorted(UNITS)))
def test_a_size_is_rounded_up_for_a_class_and_down_for_a_device(whole, fraction, unit):
    text = f"{whole}.{fraction}{unit}" if fraction else f"{whole}{unit}"
    exact = Decimal(text.removesuffix(unit)) * UNITS[unit]
    assert parse_class_memory(text) == exact.to_integral_value(ROUND_CEILING)
    assert parse_device_memory(text) == exact.to_integral_value(ROUND_FLOOR)
