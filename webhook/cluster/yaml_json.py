"""YAML and JSON text to plain JSON values, with the line of each document.

Read as Kubernetes reads it (see `scalars.py`), but stricter in one point: a key given twice is an error.
kubectl would keep the last one, and the lost line is hardly ever what a person meant.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from webhook.cluster.scalars import Scalar, key_text, read_plain
from webhook.core.errors import BadInput

# Aliases are copied where they stand, so a few lines could stand for billions of values ("billion laughs").
# Manifests repeat an environment or a pod spec a few times: some hundred values each.
MAX_COPIED_VALUES: Final = 100_000
# Deeper than any Kubernetes object (CustomResourceDefinitions reach about 60) and, at two frames each, well
# within Python's stack of 1,000 frames.
MAX_DEPTH: Final = 200

_PLAIN: Final = "plain"
_TAG_PREFIX: Final = "tag:yaml.org,2002:"
_TAGGED_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}
_JSON_SURROGATES: Final = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
)
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _NodeLoader(_Loader):  # type: ignore[misc, valid-type]
    """Builds the node graph only, and marks the unquoted scalars, which `scalars.py` gives their meaning."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode and implicit[0]:
            return _PLAIN
        return str(super().resolve(kind, value, implicit))


@dataclass(frozen=True, slots=True)
class Piece:
    """One document of a stream: its value, its first line, and the lines of what its `items` list holds."""

    value: Any
    line: int
    item_lines: tuple[int, ...] = ()


def read_stream(text: str, source: str) -> Iterator[Piece]:
    """Yield each document of a stream; empty ones are left out.

    `source` names the text in errors. Raises BadInput with source and line.
    """
    if text.lstrip()[:1] in ("{", "[") and _is_json(text):
        text = _json_as_yaml(text)
    try:
        for node in yaml.compose_all(text, Loader=_NodeLoader):
            value = _Reader(source).read(node)
            if value is not None:
                yield Piece(value, _line(node), _item_lines(node))
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise unreadable(error, text, source) from error


def unreadable(error: yaml.YAMLError | UnicodeEncodeError, text: str, source: str) -> BadInput:
    """Return what PyYAML says of a text with the line where it says it, if it does."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return BadInput(f"{source}: not readable as YAML: {_first_line(error)}")
    # At the end of a text the mark stands one line behind it.
    line = min(error.problem_mark.line, text.rstrip().count("\n")) + 1 if error.problem_mark else 1
    return BadInput(f"{source}:{line}: not readable as YAML: {error.problem or error.context}")


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _item_lines(node: yaml.Node) -> tuple[int, ...]:
    if not isinstance(node, yaml.MappingNode):
        return ()
    for key, value in node.value:
        if key.value == "items" and isinstance(value, yaml.SequenceNode):
            return tuple(map(_line, value.value))
    return ()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_as_yaml(text: str) -> str:
    """Rewrite the two things of JSON that a YAML 1.1 parser refuses: tabs and surrogate pairs.

    A tab can stand only between the tokens of valid JSON, so a space means the same.
    """

    def joined(match: re.Match[str]) -> str:
        high, low = int(match[2], 16), int(match[3], 16)
        return f"{match[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}"

    return _JSON_SURROGATES.sub(joined, text.replace("\t", " "))


@dataclass(slots=True)
class _Reader:
    """Turns one node graph into values; every alias becomes a copy of its own."""

    source: str
    copied: int = 0
    seen: set[int] = field(default_factory=set)
    open_nodes: list[yaml.Node] = field(default_factory=list)

    def read(self, node: yaml.Node) -> Any:
        self.count(node)
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if any(node is above for above in self.open_nodes):
            raise self.error(node, "an anchor that contains itself")
        if len(self.open_nodes) >= MAX_DEPTH:
            raise self.error(node, f"nested more than {MAX_DEPTH} deep")
        self.open_nodes.append(node)
        value = self.mapping(node) if isinstance(node, yaml.MappingNode) else self.sequence(node)
        self.open_nodes.pop()
        return value

    def count(self, node: yaml.Node) -> None:
        """Bound what aliases multiply; all else is bounded by the text itself."""
        if id(node) not in self.seen:
            self.seen.add(id(node))
            return
        self.copied += 1
        if self.copied > MAX_COPIED_VALUES:
            raise self.error(node, f"aliases stand for more than {MAX_COPIED_VALUES} values; use fewer")

    def sequence(self, node: yaml.Node) -> list[Any]:
        return [self.read(item) for item in node.value]

    def scalar(self, node: yaml.ScalarNode) -> Scalar:
        kind = node.tag.removeprefix(_TAG_PREFIX)
        text = str(node.value)
        if kind == "str":
            return text
        try:
            value = read_plain(text)
        except ValueError as error:
            raise self.error(node, str(error)) from error
        if kind == _PLAIN or (kind in _TAGGED_TYPES and type(value) in _TAGGED_TYPES[kind]):
            return value
        raise self.error(node, f"{text[:40]!r} cannot be read with the tag {node.tag}")

    def mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        own: dict[str, Any] = {}
        inherited: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _PLAIN and key_node.value == "<<":
                inherited = self.merged(value_node) | inherited
                continue
            key = self.key(key_node)
            if key in own:
                raise self.error(key_node, f"the key {key!r} is given twice, first in line {lines[key]}")
            lines[key] = _line(key_node)
            own[key] = self.read(value_node)
        return inherited | own

    def key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.error(node, "a list or mapping cannot be a key")
        try:
            return key_text(self.scalar(node))
        except ValueError as error:
            raise self.error(node, str(error)) from error

    def merged(self, node: yaml.Node) -> dict[str, Any]:
        """Return what `<<` brings in: a mapping, or a list of them of which the first wins."""
        value = self.read(node)
        parts = value if isinstance(value, list) else [value]
        result: dict[str, Any] = {}
        for part in parts:
            if not isinstance(part, dict):
                raise self.error(node, "`<<` needs a mapping or a list of mappings")
            result = part | result
        return result

    def error(self, node: yaml.Node, problem: str) -> BadInput:
        return BadInput(f"{self.source}:{_line(node)}: {problem}")
