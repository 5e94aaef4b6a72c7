"""The selector of a ResourceClass: which devices belong to it.

    {matchLabels, matchExpressions}, or a list of these

A list is an OR; inside one term everything must hold. The CustomResourceDefinition leaves the field
untyped, because a typed field takes only one of the two forms: hence every fault is found here, and
all of them at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webhook.core.errors import BadInput
from webhook.core.values.requirement import (
    PRESENCE_OPERATORS,
    SET_OPERATORS,
    Operator,
    Requirement,
    requirement,
)

_TERM_FIELDS: Final = ("matchLabels", "matchExpressions")
_EXPRESSION_FIELDS: Final = ("key", "operator", "values")


class BadSelector(BadInput):
    """A selector that cannot be read. `problems` names each place and the remedy."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Selector:
    """A readable selector: one of the terms must hold, and of a term every requirement."""

    terms: tuple[tuple[Requirement, ...], ...]

    def matches(self, properties: Mapping[str, str]) -> bool:
        """Whether a device with these properties belongs to the class."""
        return any(all(part.matches(properties) for part in term) for term in self.terms)

    def unreadable(self, properties: Mapping[str, str]) -> list[str]:
        """Return which of the device's values could not be compared, each once, with the reason."""
        found = (part.unreadable(properties) for term in self.terms for part in term)
        return list(dict.fromkeys(text for text in found if text is not None))


def parse_selector(raw: Any, path: str = "spec.selector") -> Selector:
    """Read a selector in either form. Raises BadSelector with every problem, each named by `path`."""
    problems: list[str] = []
    terms = raw if isinstance(raw, list) else [raw]
    if not terms:
        problems.append(f"{path} is empty and would match no device; name at least one property")
    read = []
    for index, term in enumerate(terms):
        read.append(_term(term, f"{path}[{index}]" if isinstance(raw, list) else path, problems))
    if problems:
        raise BadSelector(tuple(problems))
    return Selector(tuple(read))


def _term(raw: Any, path: str, problems: list[str]) -> tuple[Requirement, ...]:
    if not isinstance(raw, dict):
        problems.append(f"{path} must be a map with matchLabels or matchExpressions, not {_kind(raw)}")
        return ()
    _unknown_fields(raw, path, _TERM_FIELDS, problems)
    labels, expressions = raw.get("matchLabels") or {}, raw.get("matchExpressions") or []
    parts: list[Requirement | None] = []
    if not isinstance(labels, dict):
        problems.append(f"{path}.matchLabels must be a map of property to value, not {_kind(labels)}")
    elif not isinstance(expressions, list):
        problems.append(f"{path}.matchExpressions must be a list, not {_kind(expressions)}")
    elif not labels and not expressions:
        problems.append(f"{path} is empty and would match every device; name at least one property")
    else:
        parts += [_label(key, value, f"{path}.matchLabels", problems) for key, value in labels.items()]
        parts += [
            _expression(item, f"{path}.matchExpressions[{index}]", problems)
            for index, item in enumerate(expressions)
        ]
    return tuple(part for part in parts if part is not None)


def _label(key: str, value: Any, path: str, problems: list[str]) -> Requirement | None:
    text = _text(value, f"{path}[{key}]", problems)
    return None if text is None else _requirement(key, Operator.IN, (text,), [f"{path}[{key}]"], problems)


def _expression(raw: Any, path: str, problems: list[str]) -> Requirement | None:
    if not isinstance(raw, dict):
        problems.append(f"{path} must be a map with key, operator and values, not {_kind(raw)}")
        return None
    _unknown_fields(raw, path, _EXPRESSION_FIELDS, problems)
    key, name = raw.get("key"), raw.get("operator")
    values = raw.get("values")
    values = [] if values is None else values
    if not isinstance(key, str) or not key:
        problems.append(f"{path}.key must name a property of the devices, such as model or memory")
    if name not in tuple(Operator):
        problems.append(f"{path}.operator is {name!r}; it must be one of {', '.join(Operator)}")
    if not isinstance(values, list):
        problems.append(f"{path}.values must be a list, not {_kind(values)}")
    if not isinstance(key, str) or not key or name not in tuple(Operator) or not isinstance(values, list):
        return None
    return _checked_expression(key, Operator(name), values, path, problems)


def _checked_expression(
    key: str, op: Operator, values: list[Any], path: str, problems: list[str]
) -> Requirement | None:
    places = [f"{path}.values[{index}]" for index in range(len(values))]
    texts = [_text(value, place, problems) for value, place in zip(values, places, strict=True)]
    if not _right_count(op, len(values), path, problems) or None in texts:
        return None
    return _requirement(key, op, tuple(text for text in texts if text is not None), places, problems)


def _right_count(op: Operator, count: int, path: str, problems: list[str]) -> bool:
    if op in PRESENCE_OPERATORS:
        right, needs = count == 0, "takes no values"
    elif op in SET_OPERATORS:
        right, needs = count > 0, "needs at least one value"
    else:
        right, needs = count == 1, "needs exactly one value"
    if not right:
        problems.append(f"{path}.values has {count} values; {op} {needs}")
    return right


def _requirement(
    key: str, op: Operator, values: tuple[str, ...], places: list[str], problems: list[str]
) -> Requirement | None:
    known = len(problems)
    for value, place in zip(values, places, strict=True):
        try:
            requirement(key, op, (value,))
        except ValueError as error:
            problems.append(f"{place}: {error}")
    return requirement(key, op, values) if len(problems) == known else None


def _text(value: Any, path: str, problems: list[str]) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    problems.append(f"{path} must be a text, not {_kind(value)}; put it in quotes")
    return None


def _unknown_fields(raw: Mapping[str, Any], path: str, known: tuple[str, ...], problems: list[str]) -> None:
    problems.extend(
        f"{path}.{field} is no field of a selector; known are {', '.join(known)}"
        for field in raw
        if field not in known
    )


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__
