"""What the API server fills in before any webhook sees an object.

Limits become requests (pkg/apis/core/v1/defaults.go, SetDefaults_Pod: of pods, not of templates), and a
LimitRange gives what a container does not say (plugin/pkg/admission/limitranger). The server's own defaults
that no rule of ours reads are left out.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from webhook.core.raw import as_list, as_mapping, at
from webhook.core.validate.limit_range import ANNOTATION, PREFIX
from webhook.core.values.containers import CONTAINERS, INIT_CONTAINERS, LIMITS, REQUESTS, containers
from webhook.core.values.names import Json

_TITLES: Final = {CONTAINERS: "container", INIT_CONTAINERS: "init container"}


def with_defaults(document: Json, limit_ranges: Iterable[Json]) -> Json:
    """Return a copy of an object that is being created, with the server's defaults."""
    filled = copy.deepcopy(document)
    if filled.get("kind") == "LimitRange":
        for item in _items(filled):
            _fill_limit_range(item)
    if filled.get("kind") == "Pod":
        _copy_limits(filled)
        _give_limit_range(filled, [item for limit_range in limit_ranges for item in _items(limit_range)])
    return filled


def _copy_limits(pod: Json) -> None:
    for ref in containers(pod.get("spec")):
        limits = ref.amounts(LIMITS)
        if limits:
            _fill(_amounts(ref.container, REQUESTS), limits)


def _fill_limit_range(item: Json) -> None:
    default, request = _map_in(item, "default"), _map_in(item, "defaultRequest")
    _fill(default, as_mapping(item.get("max")))
    _fill(request, default)
    _fill(request, as_mapping(item.get("min")))


def _give_limit_range(pod: Json, items: Sequence[Json]) -> None:
    notes = []
    for ref in containers(pod.get("spec"), CONTAINERS, INIT_CONTAINERS):
        for item in items:
            given = _fill(_amounts(ref.container, REQUESTS), as_mapping(item.get("defaultRequest")))
            limited = _fill(_amounts(ref.container, LIMITS), as_mapping(item.get("default")))
            for keys, word in ((given, "request"), (limited, "limit")):
                if keys:
                    notes.append(f"{', '.join(sorted(keys))} {word} for {_TITLES[ref.kind]} {ref.name}")
    if notes:
        annotations = _map_in(_map_in(pod, "metadata"), "annotations")
        annotations[ANNOTATION] = PREFIX + "; ".join(notes)


def _items(limit_range: Json) -> list[Json]:
    limits = as_list(at(limit_range, "spec").get("limits"))
    return [item for item in map(as_mapping, limits) if item.get("type") == "Container"]


def _fill(target: dict[str, Any], source: Mapping[str, Any]) -> list[str]:
    """Add what `target` lacks; return the keys that were added."""
    lacking = [key for key in source if key not in target]
    target.update((key, source[key]) for key in lacking)
    return lacking


def _amounts(container: Json, field: str) -> dict[str, Any]:
    return _map_in(_map_in(container, "resources"), field)


def _map_in(parent: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the map under `key`, made where there is none."""
    if not isinstance(parent.get(key), dict):
        parent[key] = {}
    found: dict[str, Any] = parent[key]
    return found
