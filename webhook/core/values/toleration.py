"""The tolerations of a class, which its pods get.

A pod with a toleration that is none is refused by the API server, which names a field that the user of the
class has not written. So it is the class that is refused. The rules are those of ValidateTolerations in
Kubernetes' pkg/apis/core/validation/validation.go.
"""

from collections.abc import Iterator
from typing import Any, Final

from webhook.core.values.names import NAME_PART, Json, is_qualified_name

_OPERATORS: Final = ("Exists", "Equal")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def read_tolerations(raw: Any, path: str, problems: list[str]) -> tuple[Json, ...]:
    """Return a list of tolerations as it stands; what is wrong with it is added to `problems`."""
    items = [] if raw is None else raw
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        problems.append(f"{path} must be a list of tolerations")
        return ()
    for index, item in enumerate(items):
        problems.extend(f"{path}[{index}]{problem}" for problem in _problems(item))
    return tuple(items)


def _problems(item: Json) -> Iterator[str]:
    key, value = item.get("key") or "", item.get("value") or ""
    operator, effect = item.get("operator") or "Equal", item.get("effect") or ""
    if operator not in _OPERATORS:
        yield f".operator is {operator!r}; it must be {' or '.join(_OPERATORS)}"
    elif not key and operator != "Exists":
        yield ".key is missing; name the key of a taint, or write operator: Exists to tolerate every taint"
    if key and not _is_label_name(key):
        yield f".key {key!r} cannot be the key of a taint"
    if operator == "Exists" and value:
        yield ".value must be left out: operator Exists takes none"
    elif value and not _is_label_value(value):
        yield f".value {value!r} cannot be the value of a taint"
    if effect and effect not in _EFFECTS:
        yield f".effect is {effect!r}; it must be one of {', '.join(_EFFECTS)}, or left out for all"
    elif item.get("tolerationSeconds") is not None and effect != "NoExecute":
        yield ".tolerationSeconds needs effect: NoExecute"


def _is_label_value(value: Any) -> bool:
    return isinstance(value, str) and NAME_PART.fullmatch(value) is not None


def _is_label_name(key: Any) -> bool:
    return isinstance(key, str) and is_qualified_name(key)
