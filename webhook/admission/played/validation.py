"""What the API server itself refuses of resource names and amounts, in its own words.

The texts are those of pkg/apis/core/validation/validation.go of Kubernetes 1.36
(validateResourceRequirements, ValidateResourceQuotaSpec, ValidateLimitRange).
"""

from collections.abc import Iterator
from typing import Any, Final

from webhook.core.raw import as_list, as_mapping, at
from webhook.core.values.containers import LIMITS, REQUESTS, ContainerRef, containers
from webhook.core.values.names import Json, class_of_stored_key, is_bare_candidate
from webhook.core.values.pod_template import POD_SPEC_PATHS, kind_of, name_of
from webhook.core.values.quantity import BadQuantity, parse_quantity

_NOT_STANDARD: Final = "must be a standard resource type or fully qualified"
_LIMIT_RANGE_MAPS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def invalid(document: Json) -> str:
    """Return why the API server would answer 422, all faults in one text; empty where it would not."""
    kind = kind_of(document)
    faults = list(_faults(kind, document))
    if not faults:
        return ""
    listed = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"
    return f'{kind} "{name_of(document)}" is invalid: {listed}'


def _faults(kind: str, document: Json) -> Iterator[str]:
    if kind == "ResourceQuota":
        hard = at(document, "spec", "hard")
        yield from _names("spec.hard", hard, "must be a standard resource for quota")
    elif kind == "LimitRange":
        for index, item in enumerate(map(as_mapping, as_list(at(document, "spec").get("limits")))):
            for field in _LIMIT_RANGE_MAPS:
                yield from _names(f"spec.limits[{index}].{field}", at(item, field), _NOT_STANDARD)
    elif path := POD_SPEC_PATHS.get(kind):
        for ref in containers(at(document, *path)):
            yield from _container(f"{'.'.join(path)}.{ref.kind}[{ref.index}].resources", ref)


def _container(place: str, ref: ContainerRef) -> Iterator[str]:
    limits, requests = ref.amounts(LIMITS), ref.amounts(REQUESTS)
    for field, amounts in ((LIMITS, limits), (REQUESTS, requests)):
        here = f"{place}.{field}"
        yield from _names(here, amounts, _NOT_STANDARD)
        for key, value in amounts.items():
            if class_of_stored_key(key):
                yield from _amount(here, key, value)
    for key, value in requests.items():
        if not class_of_stored_key(key):
            continue
        if key not in limits:
            yield f"{place}.limits: Required value: Limit must be set for non overcommitable resources"
        elif _differ(value, limits[key]):
            yield f'{place}.requests: Invalid value: "{value}": must be equal to {key} limit of {limits[key]}'


def _names(place: str, amounts: Any, problem: str) -> Iterator[str]:
    for key in sorted(amounts):
        if is_bare_candidate(key):
            yield f'{place}[{key}]: Invalid value: "{key}": {problem}'


def _amount(place: str, key: str, value: Any) -> Iterator[str]:
    try:
        quantity = parse_quantity(value)
    except BadQuantity:
        yield f'{place}[{key}]: Invalid value: "{value}": quantities must match the regular expression'
        return
    if quantity.nanos < 0:
        yield f'{place}[{key}]: Invalid value: "{value}": must be greater than or equal to 0'
    elif not quantity.is_whole:
        yield f'{place}[{key}]: Invalid value: "{value}": must be an integer'


def _differ(one: Any, other: Any) -> bool:
    try:
        return parse_quantity(one) != parse_quantity(other)
    except BadQuantity:
        return False
