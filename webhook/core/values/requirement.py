"""One requirement of a class's selector: a key of a device's properties, an operator, values.

`memory` is compared as sizes and `model` as models; `Gt`, `Ge`, `Lt` and `Le` on any other key compare
quantities. A value of a device that cannot be read never matches, whatever the operator: a class must
not catch a device about which nothing is known.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from webhook.core.values.memory import parse_class_memory, parse_device_memory
from webhook.core.values.model import normalise_model
from webhook.core.values.quantity import parse_quantity

MEMORY: Final = "memory"
MODEL: Final = "model"


class Operator(StrEnum):
    """What a requirement may say of a value."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GT = "Gt"
    GE = "Ge"
    LT = "Lt"
    LE = "Le"


SET_OPERATORS: Final = frozenset({Operator.IN, Operator.NOT_IN})
PRESENCE_OPERATORS: Final = frozenset({Operator.EXISTS, Operator.DOES_NOT_EXIST})
_ORDER: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement whose values are already read: bytes, models, quantities or plain text.

    Make it with `requirement`. `read` turns a device's text into the same kind of value.
    """

    key: str
    operator: Operator
    values: tuple[Any, ...]
    read: Callable[[str], Any]

    def matches(self, properties: Mapping[str, str]) -> bool:
        """Whether a device with these properties meets the requirement.

        As in Kubernetes' label selectors, NotIn and DoesNotExist hold where the key is absent.
        """
        text = properties.get(self.key)
        if text is None:
            return self.operator in (Operator.NOT_IN, Operator.DOES_NOT_EXIST)
        if self.operator in PRESENCE_OPERATORS:
            return self.operator is Operator.EXISTS
        try:
            value = self.read(text)
        except ValueError:
            return False
        if self.operator in SET_OPERATORS:
            return (value in self.values) == (self.operator is Operator.IN)
        return _ORDER[self.operator](value, self.values[0])

    def unreadable(self, properties: Mapping[str, str]) -> str | None:
        """Say why the device's value cannot be compared; None where it can or need not be."""
        text = properties.get(self.key)
        if text is None or self.operator in PRESENCE_OPERATORS:
            return None
        try:
            self.read(text)
        except ValueError as error:
            return f"{self.key}: {error}"
        return None


def requirement(key: str, op: Operator, values: tuple[str, ...]) -> Requirement:
    """Read the values of a requirement. Raises ValueError for one that cannot be compared."""
    in_class, on_device = _readers(key, op)
    return Requirement(key, op, tuple(in_class(value) for value in values), on_device)


def _readers(key: str, op: Operator) -> tuple[Callable[[str], Any], Callable[[str], Any]]:
    """Return how a class's value and a device's value of this key are read."""
    if op in PRESENCE_OPERATORS:
        return str, str
    if key == MEMORY:
        return parse_class_memory, parse_device_memory
    if op not in SET_OPERATORS:
        return parse_quantity, parse_quantity
    return (normalise_model, normalise_model) if key == MODEL else (str, str)
