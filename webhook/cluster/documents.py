"""Kubernetes objects out of a stream of manifests: several documents, lists, and where each stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webhook.cluster.yaml_json import Piece, read_stream
from webhook.core.errors import BadInput
from webhook.core.values.names import Json


@dataclass(frozen=True, slots=True)
class Document:
    """One object of a stream and its place."""

    obj: Json
    source: str
    line: int

    @property
    def place(self) -> str:
        """Where the object stands, as `file:line`."""
        return f"{self.source}:{self.line}"


def load_documents(text: str | bytes, source: str) -> list[Document]:
    """Read a stream of manifests in YAML or JSON; a List (or PodList …) yields its items.

    `source` names the stream in errors. Raises BadInput with the place and what is wrong.
    """
    return [
        document
        for piece in read_stream(_decoded(text, source), source)
        for document in _expanded(piece, source)
    ]


def _decoded(text: str | bytes, source: str) -> str:
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{source}:{line}: not UTF-8 text; a manifest is YAML or JSON in UTF-8") from error


def _expanded(piece: Piece, source: str) -> Iterator[Document]:
    obj = _checked(piece.value, f"{source}:{piece.line}")
    if obj["kind"].endswith("List") and "items" in obj:
        items = _items(obj, f"{source}:{piece.line}")
        lines = piece.item_lines or (piece.line,) * len(items)
        for item, line in zip(items, lines, strict=True):
            yield _document(_typed_like(obj, item), source, line)
        return
    yield _document(obj, source, piece.line)


def _document(value: Any, source: str, line: int) -> Document:
    obj = _checked(value, f"{source}:{line}")
    if not isinstance(obj.get("metadata"), dict):
        raise BadInput(f"{source}:{line}: {obj['kind']} without metadata; give it at least a metadata.name")
    return Document(obj, source, line)


def _checked(value: Any, place: str) -> Json:
    if not isinstance(value, dict):
        raise BadInput(
            f"{place}: not a Kubernetes object, which is a mapping with apiVersion, kind, metadata"
        )
    for key in ("apiVersion", "kind"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise BadInput(f"{place}: {key} is missing or not text; a manifest needs apiVersion and kind")
    return value


def _items(listing: Json, place: str) -> list[Any]:
    items = listing["items"]
    if items is None:
        return []
    if not isinstance(items, list):
        raise BadInput(f"{place}: items of a {listing['kind']} must be a list")
    return items


def _typed_like(listing: Json, item: Any) -> Any:
    """Give an item of a PodList its kind: the API server leaves it out there, and only there."""
    if not isinstance(item, dict) or listing["kind"] == "List":
        return item
    return {"apiVersion": listing["apiVersion"], "kind": listing["kind"].removesuffix("List"), **item}
