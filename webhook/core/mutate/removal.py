"""Classes that the user has just taken out of a manifest, although the object still asks for them.

The stored key is not the one in the user's manifest. Whoever removes the line `nvidia.tesla.k80: 1` and
applies again sends the removal of that key alone, and the stored one would stay for ever. What was
removed shows in what the object carries: with client-side apply in the last-applied configuration, with
server-side apply in the fields that an Apply manager owned before and no longer owns.

Reads: metadata.annotations (last applied), metadata.managedFields of the old and the new object.
A Helm release of before server-side apply leaves neither, so its removals cannot be seen.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from webhook.core.mutate.rename import STORED_RANK, Speller
from webhook.core.raw import as_list, as_mapping, value_at
from webhook.core.values import names
from webhook.core.values.names import Json


@dataclass(frozen=True, slots=True)
class Item:
    """The step of a place that goes into a list, to the element of this name."""

    name: str


Place = tuple[str | Item, ...]


class Intent:
    """What the appliers of an object have asked for, and which of it they have just removed."""

    def __init__(self, old: Json, new: Json) -> None:
        before, after = _last_applied(old), _last_applied(new)
        self._configured = (before, after) if before is not None and after is not None else None
        self._owned = _apply_managers(old), _apply_managers(new)
        # Managers of plain updates own the typed key for ever, so of theirs only the stored one counts.
        self._all = tuple(_fields(entry) for entry in _managers(new))
        self._elements = _Elements()

    def removed(self, place: Place, spell: Speller) -> set[str]:
        """Return the classes whose typed spelling at `place` was removed and that nothing names there now."""
        return self._removed_client_side(place, spell) | self._removed_server_side(place, spell)

    def named(self, place: Place, spell: Speller) -> set[str]:
        """Return the classes that the appliers name at `place` now, in any spelling."""
        keys = [key for fields in self._owned[1].values() for key in self._owned_keys(fields, place)]
        if self._configured is not None:
            keys += self._configured_keys(self._configured[1], place)
        return _classes(keys, spell)

    def _removed_client_side(self, place: Place, spell: Speller) -> set[str]:
        if self._configured is None:
            return set()
        before, after = (self._configured_keys(document, place) for document in self._configured)
        return _typed_classes(before, spell) - _classes(after, spell)

    def _removed_server_side(self, place: Place, spell: Speller) -> set[str]:
        before, after = self._owned
        # A manager that is gone altogether says nothing: managedFields may have been reset.
        staying = (fields for manager, fields in before.items() if manager in after)
        removed = {
            name for fields in staying for name in _typed_classes(self._owned_keys(fields, place), spell)
        }
        if removed:
            removed -= {
                name for fields in after.values() for name in _classes(self._owned_keys(fields, place), spell)
            }
        if removed:
            removed -= {
                name
                for fields in self._all
                for name in _stored_classes(self._owned_keys(fields, place), spell)
            }
        return removed

    def _configured_keys(self, node: Any, place: Place) -> Mapping[str, Any]:
        """Return the map at a place of a manifest; empty where there is none."""
        for step in place:
            if isinstance(step, Item):
                node = self._elements.of(node, _configured_elements).get(step.name)
            else:
                node = as_mapping(node).get(step)
        return as_mapping(node)

    def _owned_keys(self, node: Any, place: Place) -> list[str]:
        """Return the keys owned at a place of a FieldsV1 set (its steps are `f:` and `k:`)."""
        for step in place:
            if not isinstance(node, dict):
                return []
            if isinstance(step, Item):
                node = self._elements.of(node, _owned_elements).get(step.name)
            else:
                node = node.get(f"f:{step}")
        return [key[2:] for key in node if key.startswith("f:")] if isinstance(node, dict) else []


def _typed_classes(keys: Iterable[str], spell: Speller) -> set[str]:
    found = (spell(key) for key in keys)
    return {item.class_name for item in found if item is not None and item.rank != STORED_RANK}


def _stored_classes(keys: Iterable[str], spell: Speller) -> set[str]:
    found = (spell(key) for key in keys)
    return {item.class_name for item in found if item is not None and item.rank == STORED_RANK}


def _classes(keys: Iterable[str], spell: Speller) -> set[str]:
    found = (spell(key) for key in keys)
    return {item.class_name for item in found if item is not None}


def _last_applied(obj: Json) -> Json | None:
    text = value_at(obj, ("metadata", "annotations", names.LAST_APPLIED_ANNOTATION))
    try:
        document = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _managers(obj: Json) -> list[Json]:
    entries = as_list(value_at(obj, ("metadata", "managedFields")))
    return [entry for entry in entries if isinstance(entry, dict)]


def _apply_managers(obj: Json) -> dict[str, Any]:
    return {
        str(entry.get("manager")): _fields(entry)
        for entry in _managers(obj)
        if entry.get("operation") == "Apply" and not entry.get("subresource")
    }


def _fields(entry: Json) -> Any:
    return entry.get("fieldsV1")


class _Elements:
    """The elements of lists by name. A workload may have thousands of containers, so a list is read once."""

    def __init__(self) -> None:
        self._read: dict[int, tuple[Any, Mapping[str, Any]]] = {}

    def of(self, node: Any, read: Callable[[Any], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the elements that `read` finds in a node. The node is kept, so that its id stays its own."""
        if id(node) not in self._read:
            self._read[id(node)] = node, read(node)
        return self._read[id(node)][1]


def _configured_elements(items: Any) -> Mapping[str, Any]:
    """Return the elements of a list in a manifest; of several of one name the first."""
    named = ((as_mapping(item).get("name"), item) for item in as_list(items))
    found: dict[str, Any] = {}
    for name, item in named:
        if isinstance(name, str):
            found.setdefault(name, item)
    return found


def _owned_elements(node: Any) -> Mapping[str, Any]:
    """Return the fields owned of the elements of a list (steps such as `k:{"name":"train"}`)."""
    keys = ((_key_of_item(key[2:]), fields) for key, fields in node.items() if key.startswith("k:"))
    return {
        key["name"]: fields
        for key, fields in keys
        if isinstance(key, dict) and len(key) == 1 and isinstance(key.get("name"), str)
    }


def _key_of_item(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
