"""What an unquoted YAML word means to Kubernetes.

kubectl and the API server read YAML through sigs.k8s.io/yaml, which rests on go-yaml 2; this is its
`resolve.go`. It differs from PyYAML where manifests are hurt by it: `1e3` is a number, `1:30` is text (not
base 60), `2026-01-31` is text (not a date), and `y`, `on` and `no` are booleans.
"""

import math
import re
from typing import Final

Scalar = str | int | float | bool | None

_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_PREFIXED: Final = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")

# 64 binary digits with prefix and sign are the longest integer that Go reads.
_INTEGER_MAX_LENGTH: Final = 67
_INT64_MIN: Final = -(2**63)
_UINT64_MAX: Final = 2**64 - 1
# Below this a float that is whole is the same number as an integer, and Go prints it as one.
_EXACT_FLOAT: Final = 2**53


def read_plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar. Raises ValueError for infinities and NaN."""
    if text in _WORDS:
        return _WORDS[text]
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} cannot be written in JSON")
    if text[0] == ".":
        return _float(_BETWEEN_DIGITS.sub("", text), text)
    if text[0] in "+-0123456789":
        return _number(text.replace("_", ""), text)
    return text


def key_text(value: Scalar) -> str:
    """Return a mapping key as the string that JSON needs. Raises ValueError for null."""
    if value is None:
        raise ValueError("a key cannot be null")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _number(digits: str, text: str) -> Scalar:
    integer = _integer(digits) if len(digits) <= _INTEGER_MAX_LENGTH else None
    if integer is not None and _INT64_MIN <= integer <= _UINT64_MAX:
        return integer
    return _float(digits, text)


def _integer(digits: str) -> int | None:
    if _DECIMAL.fullmatch(digits):
        return int(digits)
    match = _PREFIXED.fullmatch(digits)
    if match is None:
        return None
    sign, hexadecimal, binary, octal = match.groups()
    magnitude = int(hexadecimal or binary or octal, 16 if hexadecimal else 2 if binary else 8)
    return -magnitude if sign == "-" else magnitude


def _float(digits: str, text: str) -> Scalar:
    if not _FLOAT.fullmatch(digits):
        return text
    value = float(digits)
    if math.isinf(value):
        return text  # out of range: Go leaves it a string
    return int(value) if value.is_integer() and abs(value) < _EXACT_FLOAT else value
