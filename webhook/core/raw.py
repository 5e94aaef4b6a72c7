"""Reading raw JSON that may be wrong: explicit nulls, and values of another type than the schema says.

Whoever sends nonsense gets the API server's own answer; a rule that meets it reads it as absent.
"""

from collections.abc import Iterable
from typing import Any

from webhook.core.values.names import Json


def as_mapping(value: Any) -> Json:
    """Return `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return `value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return `value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def value_at(document: Any, path: Iterable[str]) -> Any:
    """Return what stands at a path of keys, or None where a parent is absent or no JSON object."""
    for step in path:
        document = as_mapping(document).get(step)
    return document


def at(document: Json, *path: str) -> Json:
    """Return the object at `path`, an empty one where any step is missing or of another type.

    The rules ask it some twenty times of each pod, so it does by itself what the functions above do.
    """
    found: Any = document
    for step in path:
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def name_of(obj: Json) -> str:
    """Return the name of an object."""
    return as_text(at(obj, "metadata").get("name"))
