"""Kubernetes quantities, exactly.

The grammar and the limits are those of k8s.io/apimachinery, pkg/api/resource/quantity.go: sign, digits
with at most one point, then a binary suffix (Ki … Ei), a decimal one (n u m k M G T P E) or an exponent
(e3, E3). ``E`` alone is exa, ``E`` before digits an exponent. Anything finer than a nano is rounded
away from zero to the next nano, as the server does. No floats: a value is a whole number of nanos.
"""

import re
from dataclasses import dataclass
from functools import lru_cache, total_ordering
from typing import Any, Final, NoReturn

NANOS: Final = 10**9

# A quantity of more digits than this is no number anybody means, and arithmetic on a million digits
# would stall the server: int() of 5,000 digits takes 0.1 ms, of a million 5 s. The API server's own
# answer to such text is an error as well (exponent out of range, or a value above its maximum).
MAX_LENGTH: Final = 400
MAX_EXPONENT: Final = 200

_GRAMMAR: Final = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?[0-9]+))?"
)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


class BadQuantity(ValueError):
    """A text that the API server would not read as a quantity, or not as one that counts devices."""


@total_ordering
@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact amount. `nanos` is the value times 10^9; two spellings of one number are equal."""

    nanos: int

    def __lt__(self, other: "Quantity") -> bool:
        return self.nanos < other.nanos

    @property
    def is_whole(self) -> bool:
        """Whether the amount is a whole number, as a count of devices must be."""
        return self.nanos % NANOS == 0

    def __str__(self) -> str:
        """Return the canonical decimal spelling, without suffix; fractions keep their digits."""
        sign = "-" if self.nanos < 0 else ""
        whole, fraction = divmod(abs(self.nanos), NANOS)
        digits = f"{fraction:09d}".rstrip("0")
        return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def parse_quantity(value: Any) -> Quantity:
    """Read a quantity as it stands in JSON: a string, a bare number, or null, which the server reads as 0.

    Raises BadQuantity for anything that the API server would refuse.
    """
    if value is None:
        return Quantity(0)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadQuantity(f"{value!r} is not a quantity")
    if isinstance(value, int) and value.bit_length() > MAX_LENGTH:
        raise BadQuantity("a number of so many digits is not a quantity")
    text = str(value)
    return _parse_text(text) if len(text) <= MAX_LENGTH else _no_quantity(text)


# The same few amounts come with every review. Bounded in number here and in length above.
@lru_cache(maxsize=1024)
def _parse_text(text: str) -> Quantity:
    match = _GRAMMAR.fullmatch(text)
    if match is None or not (match["whole"] or match["fraction"]):
        _no_quantity(text)
    exponent = int(match["exponent"] or 0)
    if abs(exponent) > MAX_EXPONENT:
        raise BadQuantity(f"{text[:40]!r} has an exponent out of range")
    return Quantity(_nanos(match, exponent))


def _no_quantity(text: str) -> NoReturn:
    raise BadQuantity(f"{text[:40]!r} is not a quantity (such as 1, 2000m or 1Ki)")


def _nanos(match: re.Match[str], exponent: int) -> int:
    suffix = match["suffix"] or ""
    fraction = match["fraction"] or ""
    digits = int((match["whole"] or "") + fraction)
    power = exponent + _DECIMAL.get(suffix, 0) - len(fraction) + 9
    numerator = (digits << _BINARY.get(suffix, 0)) * 10 ** max(power, 0)
    magnitude: int = -(-numerator // 10 ** max(-power, 0))
    return -magnitude if match["sign"] == "-" else magnitude


def parse_amount(value: Any) -> int:
    """Read a number of devices: a whole quantity of zero or more, in units.

    Raises BadQuantity with a sentence that says what is wrong and what would be right.
    """
    quantity = parse_quantity(value)
    if quantity.nanos < 0:
        raise BadQuantity(f"{value!r} is negative; a number of devices must be a whole number, 0 or more")
    if not quantity.is_whole:
        raise BadQuantity(f"{value!r} must be a whole number; a device cannot be asked for in fractions")
    return quantity.nanos // NANOS


def is_some(value: Any) -> bool:
    """Whether a value asks for anything: zero does not, and what cannot be read is refused elsewhere."""
    try:
        return parse_quantity(value).nanos != 0
    except BadQuantity:
        return True


def units_or_zero(value: Any) -> int:
    """Return an amount of devices; 0 for what is none, which others refuse or tell of."""
    try:
        return parse_amount(value)
    except BadQuantity:
        return 0
