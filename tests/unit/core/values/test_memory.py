"""Sizes of memory: exact in a class, tolerant on a device, rounded against the requester."""

import pytest

from webhook.core.values.memory import BadMemory, parse_class_memory, parse_device_memory

MIB, GIB = 1 << 20, 1 << 30


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1KiB", 1024), ("1Ki", 1024), ("1KB", 1000), ("1k", 1000),
        ("1MiB", MIB), ("1Mi", MIB), ("1MB", 10**6), ("1M", 10**6),
        ("10GiB", 10 * GIB), ("10Gi", 10 * GIB), ("10GB", 10**10), ("10G", 10**10),
        ("2TiB", 2 << 40), ("2Ti", 2 << 40), ("2TB", 2 * 10**12), ("2T", 2 * 10**12),
        ("10.5GB", 10_500_000_000), ("0GiB", 0),
    ],
)  # fmt: skip
def test_a_class_may_use_every_unit(text, size):
    assert parse_class_memory(text) == size


def test_a_fraction_of_a_byte_is_rounded_up_for_a_class_and_down_for_a_device():
    assert parse_class_memory("0.3KiB") == 308
    assert parse_device_memory("0.3KiB") == 307


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("10 GiB", "10GiB"),
        ("10gib", "10GiB"),
        ("10GIB", "10GiB"),
        ("10240", "10240MiB"),
        ("1.5 tib", "1.5TiB"),
        ("10Gb", "10GB"),
        ("10XB", "10GiB"),
        ("ten", "10GiB"),
        ("", "10GiB"),
        ("-1GiB", "10GiB"),
        ("1e3MiB", "10GiB"),
        ("\uff11GiB", "10GiB"),
        (None, "10GiB"),
        (10, "10GiB"),
        (True, "10GiB"),
        ("1" * 41 + "GiB", "10GiB"),
    ],
)
def test_an_inexact_size_of_a_class_is_refused_with_the_right_spelling(text, remedy):
    with pytest.raises(BadMemory, match=rf" like {remedy}$"):
        parse_class_memory(text)


# The sizes are those of gpushare-scheduler-extender#217 and NVIDIA/gpu-feature-discovery#26.
@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2048MiB", 2048 * MIB),
        ("11441", 11441 * MIB),
        (" 16276 MiB ", 16276 * MIB),
        ("11GB", 11 * 10**9),
        ("10.5GB", 10_500_000_000),
        ("16Gi", 16 * GIB),
        ("80 GB", 80 * 10**9),
        ("42505273344", 42505273344),
        (str((1 << 24) - 1), ((1 << 24) - 1) * MIB),
        (str(1 << 24), 1 << 24),
        ("0", 0),
    ],
)
def test_a_device_states_its_memory_in_many_ways(text, size):
    assert parse_device_memory(text) == size


@pytest.mark.parametrize("text", ["", "n/a", "10gib", "11441.5", "-5", "GiB", "1e3", None, 11441, "9" * 41])
def test_an_unreadable_size_of_a_device_is_an_error_and_never_zero(text):
    with pytest.raises(BadMemory, match="is not a size"):
        parse_device_memory(text)
