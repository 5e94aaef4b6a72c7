"""What a patch makes of an object: RFC 7396, and as much of the strategic merge as a Node's status needs."""

from typing import Any

from webhook.core.raw import as_list, as_mapping
from webhook.core.values.names import Json


def merged(target: Any, patch: Any, *, strategic: bool = False) -> Any:
    """Return `target` with a merge patch applied; neither is changed.

    `strategic`: lists of conditions are merged by their type, as the API server does it with its own kinds.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(as_mapping(target))
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif strategic and key == "conditions":
            result[key] = _conditions(as_list(result.get(key)), value)
        else:
            result[key] = merged(result.get(key), value, strategic=strategic)
    return result


def _conditions(present: list[Any], changes: list[Json]) -> list[Json]:
    by_type = {item.get("type"): item for item in map(as_mapping, present)}
    for change in changes:
        name = change["type"]
        if change.get("$patch") == "delete":
            by_type.pop(name, None)
        else:
            by_type[name] = merged(by_type.get(name), change)
    return list(by_type.values())
