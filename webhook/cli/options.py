"""Settings as data: which options a tree of frozen dataclasses has, and how such a tree is filled in.

A field is one option. Its name in kebab case is the flag and the key of the configuration file alike, its
annotation says what values it takes (``Annotated[str, "FILE"]`` names them), and the string below it is its
help. Nested dataclasses only group.
"""

import ast
import inspect
import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_WORDS: Final[Mapping[type, str]] = {str: "TEXT", int: "NUMBER", float: "SECONDS", bool: "true|false"}


class BadSettings(Exception):
    """Settings that cannot be used; `problems` lists every one of them as a sentence."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Option:
    """One option: `name` in kebab case, `kind` the type of its value, `word` what help calls the value."""

    name: str
    kind: type
    word: str
    choices: tuple[str, ...]
    default: Any
    help: str

    def read(self, value: Any) -> Any:
        """Return `value`, from argv or from YAML, as this option's type.

        Raises ValueError with the rest of a sentence that begins with the option's name.
        """
        if self.choices:
            return self._one_of(value)
        if self.kind is bool:
            return self._truth(value)
        if self.kind in {int, float}:
            return self._number(value)
        if not isinstance(value, str) or not value:
            raise ValueError(f"must be a text that is not empty, not {value!r}")
        return value

    def _one_of(self, value: Any) -> str:
        if value not in self.choices:
            raise ValueError(f"must be one of {', '.join(self.choices)}, not {value!r}")
        return str(value)

    def _truth(self, value: Any) -> bool:
        truth = {"true": True, "false": False}.get(str(value).lower())
        if truth is None:
            raise ValueError(f"must be true or false, not {value!r}")
        return truth

    def _number(self, value: Any) -> int | float:
        # YAML has types of its own: a number is read from its text, so that `true` and 1.5 are no integers.
        try:
            number: int | float = self.kind(str(value))
        except ValueError:
            word = "a whole number" if self.kind is int else "a number"
            raise ValueError(f"must be {word}, not {value!r}") from None
        if not math.isfinite(number):
            raise ValueError(f"must be a number that ends, not {value!r}")
        return number


def options_of(settings: type) -> tuple[Option, ...]:
    """Return every option of a settings class, in the order of its fields, groups flattened."""
    return tuple(_options(settings))


def _options(settings: type) -> Iterator[Option]:
    hints = get_type_hints(settings, include_extras=True)
    texts = _field_docs(settings)
    for field in _fields(settings):
        kind = hints[field.name]
        if isinstance(kind, type) and is_dataclass(kind):
            yield from _options(kind)
        else:
            yield _option(field, kind, texts.get(field.name, ""))


def _option(field: "Field[Any]", hint: Any, text: str) -> Option:
    word = ""
    if get_origin(hint) is Annotated:
        hint, word = get_args(hint)
    if get_origin(hint) in {Union, UnionType}:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    choices = tuple(map(str, get_args(hint))) if get_origin(hint) is Literal else ()
    kind = str if choices else hint
    word = word or "|".join(choices) or _WORDS[kind]
    return Option(field.name.replace("_", "-"), kind, word, choices, field.default, text)


def build(settings: type[T], values: Mapping[str, Any]) -> T:
    """Return a settings object from values by option name; what is not given keeps its default."""
    hints = get_type_hints(settings)
    given: dict[str, Any] = {}
    for field in _fields(settings):
        kind = hints[field.name]
        name = field.name.replace("_", "-")
        if isinstance(kind, type) and is_dataclass(kind):
            given[field.name] = build(kind, values)
        elif name in values:
            given[field.name] = values[name]
    return settings(**given)


def _fields(settings: type) -> tuple["Field[Any]", ...]:
    return tuple(field for field in fields(settings) if field.init)


def _field_docs(settings: type) -> dict[str, str]:
    """Return the string below each field, of the bases too. Python keeps none, so the source is read."""
    found: dict[str, str] = {}
    for part in reversed(settings.__mro__):
        if is_dataclass(part):
            found.update(_own_field_docs(part))
    return found


def _own_field_docs(settings: type) -> dict[str, str]:
    try:
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(settings))).body
    except OSError:  # an installation without sources still runs, without help texts
        return {}
    found: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for field, below in pairwise(statements):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = _text_of(below)
            if text:
                found[field.target.id] = " ".join(text.split())
    return found


def _text_of(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ""
