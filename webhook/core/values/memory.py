"""Sizes of device memory, in bytes.

A class must be written exactly (``10GiB``), because a person writes it once and everybody depends on it;
a device's value is read as vendors publish it. What is asked for is rounded up and what is there is
rounded down, never the other way, so that a unit too many is never promised. No floats.
"""

import re
from typing import Any, Final

UNITS: Final = {
    "KiB": 1 << 10, "Ki": 1 << 10, "KB": 10**3, "k": 10**3,
    "MiB": 1 << 20, "Mi": 1 << 20, "MB": 10**6, "M": 10**6,
    "GiB": 1 << 30, "Gi": 1 << 30, "GB": 10**9, "G": 10**9,
    "TiB": 1 << 40, "Ti": 1 << 40, "TB": 10**12, "T": 10**12,
}  # fmt: skip

# A bare number on a device is MiB (GPU feature discovery, Aliyun) or, from old releases of GPU feature
# discovery, bytes. 2^24 MiB would be 16 TiB of memory on one device and 2^24 bytes only 16 MiB.
BARE_BYTES_FROM: Final = 1 << 24

# Far more digits than any size has; it bounds the arithmetic on text that anybody may write.
MAX_LENGTH: Final = 40

_SIZE: Final = re.compile(r"(?P<whole>[0-9]+)(?:\.(?P<fraction>[0-9]+))?(?P<unit>[A-Za-z]*)")
_UNIT_OF_LOWER: Final = {unit.lower(): unit for unit in reversed(UNITS)}


class BadMemory(ValueError):
    """A text that is no size of memory; the message says what would be right."""


def parse_class_memory(text: Any) -> int:
    """Return the bytes of a size as a class must write it, rounded up.

    Raises BadMemory for a bare number, a unit in another case, spaces and everything else.
    """
    match = _match(text)
    if match is None:
        raise BadMemory(
            f"{_shown(text)} is not a size; write a number and a unit without spaces{_hint(text)}"
        )
    if match["unit"] not in UNITS:
        raise BadMemory(f"{_shown(text)} has {_unit_fault(match)}; write it{_hint(text)}")
    return -(-_numerator(match) // _denominator(match))


def parse_device_memory(text: Any) -> int:
    """Return the bytes of a size as a device or a node label states it, rounded down.

    Spaces do not matter; a bare whole number is MiB below 2^24 and bytes from there. Raises BadMemory.
    """
    match = _match("".join(text.split()) if isinstance(text, str) else text)
    if match is None or not (match["unit"] in UNITS or _is_bare(match)):
        raise BadMemory(f"{_shown(text)} is not a size (such as 11441, 16276MiB or 80GB)")
    if _is_bare(match):
        number = int(match["whole"])
        return number if number >= BARE_BYTES_FROM else number << 20
    return _numerator(match) // _denominator(match)


def _match(text: Any) -> re.Match[str] | None:
    return _SIZE.fullmatch(text) if isinstance(text, str) and len(text) <= MAX_LENGTH else None


def _is_bare(match: re.Match[str]) -> bool:
    return not match["unit"] and match["fraction"] is None


def _numerator(match: re.Match[str]) -> int:
    return int(match["whole"] + (match["fraction"] or "")) * UNITS[match["unit"]]


def _denominator(match: re.Match[str]) -> int:
    return int(10 ** len(match["fraction"] or ""))


def _shown(text: Any) -> str:
    return repr(text[:MAX_LENGTH] if isinstance(text, str) else text)


def _unit_fault(match: re.Match[str]) -> str:
    return f"the unknown unit {match['unit']!r}" if match["unit"] else "no unit"


def _hint(text: Any) -> str:
    """Return `` like 10GiB``, made of the number and the unit that were probably meant."""
    match = _match("".join(text.split())) if isinstance(text, str) else None
    if match is None:
        return " like 10GiB"
    number = match["whole"] + (f".{match['fraction']}" if match["fraction"] else "")
    unit = _UNIT_OF_LOWER.get(match["unit"].lower(), "MiB" if not match["unit"] else "GiB")
    return f" like {number}{unit}"
