"""LimitRange: the keys of classes in its five maps, names alone.

Reads and changes: min, max, default, defaultRequest and maxLimitRequestRatio of the items of type Container
and Pod. The API server fills default from max and defaultRequest from default before admission, so one
bare key arrives in several maps. The list is atomic: applying it replaces it as a whole, and a removed
line leaves no stored key behind.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from webhook.core.mutate.checks import refuse_bad_amount, refuse_near_names
from webhook.core.mutate.draft import Draft
from webhook.core.mutate.rename import container_spelling, of_existing, rename
from webhook.core.outcome import Outcome, Path
from webhook.core.patch import same
from webhook.core.raw import as_list, value_at
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.names import Json
from webhook.core.values.pod_template import has_controller, name_of

_LIMITS: Final = ("spec", "limits")
_TYPES: Final = ("Container", "Pod")
_RATIO: Final = "maxLimitRequestRatio"  # a factor, not a number of devices
_MAPS: Final = ("min", "max", "default", "defaultRequest", _RATIO)


def mutate_limit_range(obj: Json, old: Json | None, classes: Classes) -> Outcome:
    """Return what a LimitRange that is created or updated becomes."""
    draft, limits = Draft(obj), value_at(obj, _LIMITS)
    unchanged = old is not None and same(limits, value_at(old, _LIMITS))
    if unchanged or has_controller(obj):
        return draft.outcome()
    maps = tuple(_maps(limits))
    _refuse_near(draft, maps, classes)
    for path, amounts in maps:
        _rename(draft, path, amounts, classes)
    return draft.outcome()


def _maps(limits: Any) -> Iterator[tuple[Path, Json]]:
    for index, item in enumerate(as_list(limits)):
        if not isinstance(item, dict) or item.get("type") not in _TYPES:
            continue
        for name in _MAPS:
            amounts = item.get(name)
            if isinstance(amounts, dict):
                yield (*_LIMITS, index, name), amounts


def _refuse_near(draft: Draft, maps: Iterable[tuple[Path, Json]], classes: Classes) -> None:
    keys = dict.fromkeys(key for _, amounts in maps for key in amounts if names.is_bare_candidate(key))
    refuse_near_names(draft, _title(draft), keys, classes.slips(keys))


def _rename(draft: Draft, path: Path, amounts: Json, classes: Classes) -> None:
    title = _title(draft)
    renamed = rename(amounts, container_spelling, of_existing(classes))
    if renamed.renames:
        what = ", ".join(f"{typed} becomes {stored}" for typed, stored in renamed.renames.items())
        draft.put(path, renamed.amounts, what, "Kubernetes stores only qualified resource names")
    for typed, stored in renamed.renames.items():
        draft.warn(f"{title}: stored {typed} as {stored}; write it so in Git")
    if path[-1] != _RATIO:
        for stored, typed in renamed.typed.items():
            refuse_bad_amount(draft, title, typed, renamed.amounts[stored])


def _title(draft: Draft) -> str:
    return f"LimitRange {name_of(draft.object)}"
