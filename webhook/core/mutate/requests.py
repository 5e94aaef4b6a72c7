"""The spelling of class requests in a pod spec, of a pod or of a template.

Reads and changes: the keys of resources.limits and resources.requests of containers and init containers.
The API server copies limits to requests before admission, so the bare key is in both.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from webhook.core.mutate.checks import refuse_near_names
from webhook.core.mutate.draft import Draft
from webhook.core.mutate.removal import Intent, Item, Place
from webhook.core.mutate.rename import container_spelling, of_existing, rename
from webhook.core.outcome import Reason
from webhook.core.raw import as_mapping, value_at
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.containers import LIMITS, REQUESTS, ContainerRef

SpecPath = tuple[str, ...]

_WHY_RENAMED: Final = "Kubernetes stores and counts only qualified resource names"
_WHY_DROPPED: Final = "its line was removed from the manifest, where it is spelled without the prefix"


@dataclass(frozen=True, slots=True)
class Renaming:
    """One key of one container that was typed in another spelling than the stored one."""

    ref: ContainerRef
    typed: str
    stored: str


def rename_requests(draft: Draft, spec_path: SpecPath, classes: Classes) -> tuple[Renaming, ...]:
    """Give every request of an existing class its stored key. Returns what was renamed."""
    found: dict[tuple[Any, ...], Renaming] = {}
    for ref, field in _fields(draft, spec_path):
        renamed = rename(ref.amounts(field), container_spelling, of_existing(classes))
        renames = renamed.renames
        if renames:
            what = ", ".join(f"{typed} becomes {stored}" for typed, stored in renames.items())
            draft.put((*spec_path, *ref.path, "resources", field), renamed.amounts, what, _WHY_RENAMED)
        for typed, stored in renames.items():
            found.setdefault((ref.path, stored), Renaming(ref, typed, stored))
    return tuple(found.values())


def drop_removed(draft: Draft, spec_path: SpecPath, intent: Intent) -> tuple[str, ...]:
    """Drop the stored keys whose bare form the user has just removed. Returns what was dropped, in words."""
    found: dict[str, None] = {}
    for ref, field in _fields(draft, spec_path):
        amounts = ref.amounts(field)
        gone = {
            names.stored_key(name)
            for name in _removed(intent, spec_path, ref, field)
            if names.stored_key(name) in amounts and name not in amounts
        }
        if gone:
            kept = {key: value for key, value in amounts.items() if key not in gone}
            what = f"{', '.join(sorted(gone))} is dropped"
            draft.put((*spec_path, *ref.path, "resources", field), kept, what, _WHY_DROPPED)
        found.update(dict.fromkeys(f"{key} of {ref.title}" for key in sorted(gone)))
    return tuple(found)


def _removed(intent: Intent, spec_path: SpecPath, ref: ContainerRef, field: str) -> set[str]:
    resources: Place = (*spec_path, ref.kind, Item(ref.name), "resources")
    removed = intent.removed((*resources, field), container_spelling)
    if field == REQUESTS:
        # In a pod they are the server's copy of the limits, and go with them unless someone wrote them.
        copied = intent.removed((*resources, LIMITS), container_spelling)
        removed |= copied - intent.named((*resources, field), container_spelling)
    return removed


def refuse_near(draft: Draft, spec_path: SpecPath, classes: Classes) -> None:
    """Refuse the bare keys of all containers that are no class and look like a slip of one."""
    places = tuple((ref, ref.amounts(field)) for ref, field in _fields(draft, spec_path))
    slips = classes.slips(key for _, amounts in places for key in amounts if names.is_bare_candidate(key))
    if slips:
        for ref, amounts in places:
            refuse_near_names(draft, ref.title, amounts, slips)


def refuse_pod_level(draft: Draft, spec_path: SpecPath, classes: Classes) -> None:
    """Refuse a bare class among the resources of the pod itself, where only cpu and memory may be."""
    for field in (LIMITS, REQUESTS):
        for key in as_mapping(value_at(draft.object, (*spec_path, "resources", field))):
            if names.is_bare_candidate(key) and classes.exists(key):
                where = ".".join((*spec_path, "resources"))
                draft.fault(
                    Reason.INVALID_OBJECT,
                    f"{where} asks for {key}: a class is asked for by a container; move it to the resources "
                    "of the container that uses the device",
                )


def _fields(draft: Draft, spec_path: SpecPath) -> Iterator[tuple[ContainerRef, str]]:
    """Yield each container that may name a class with `limits` and `requests`, as the object stands now."""
    for ref in draft.containers(spec_path):
        if not ref.is_plain:
            yield ref, LIMITS
            yield ref, REQUESTS
