"""Which ResourceQuotas count a pod: `spec.scopes` and `spec.scopeSelector`.

The rules are those of pkg/quota/v1/evaluator/core/pods.go (podMatchesScopeFunc) and
apiserver/pkg/quota/v1/generic/evaluator.go (Matches) of Kubernetes 1.36: all scopes must hold, a scope that
is none of a pod's never does, and only PriorityClass looks at its operator.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from webhook.core.raw import as_list, as_mapping, at
from webhook.core.values.names import Json
from webhook.core.values.quantity import BadQuantity, parse_quantity


def counts(quota: Json, pod: Json) -> bool:
    """Whether the scopes of a ResourceQuota, if it has any, cover the pod."""
    return all(_holds(requirement, pod) for requirement in _requirements(at(quota, "spec")))


def _requirements(quota_spec: Json) -> Iterator[Json]:
    for scope in as_list(quota_spec.get("scopes")):
        yield {"scopeName": scope, "operator": "Exists"}
    yield from map(as_mapping, as_list(at(quota_spec, "scopeSelector").get("matchExpressions")))


def _holds(requirement: Json, pod: Json) -> bool:
    scope = requirement.get("scopeName")
    if scope == "PriorityClass":
        return _priority_class_matches(requirement, pod)
    rule = _RULES.get(scope) if isinstance(scope, str) else None
    return rule is not None and rule(pod)


def _priority_class_matches(requirement: Json, pod: Json) -> bool:
    name = at(pod, "spec").get("priorityClassName")
    values = as_list(requirement.get("values"))
    match requirement.get("operator"):
        case "Exists":
            return bool(name)
        case "DoesNotExist":
            return not name
        case "In":
            return bool(name) and name in values
        case "NotIn":
            return not name or name not in values
    return False


def _is_terminating(pod: Json) -> bool:
    deadline = at(pod, "spec").get("activeDeadlineSeconds")
    return isinstance(deadline, int) and deadline >= 0


def _is_best_effort(pod: Json) -> bool:
    """Whether the QoS class is BestEffort: as the API server has written it, else as it would write it.

    Device requests do not count: a pod that asks for devices alone is BestEffort (ComputePodQOS in
    pkg/apis/core/v1/helper/qos).
    """
    written = at(pod, "status").get("qosClass")
    if written:
        return bool(written == "BestEffort")
    spec = at(pod, "spec")
    if isinstance(spec.get("resources"), dict):
        return not _asks_for_compute(spec)
    containers = as_list(spec.get("containers")) + as_list(spec.get("initContainers"))
    return not any(_asks_for_compute(as_mapping(container)) for container in containers)


def _asks_for_compute(holder: Json) -> bool:
    return any(
        _is_positive(at(holder, "resources", part).get(name))
        for part in ("requests", "limits")
        for name in ("cpu", "memory")
    )


def _is_positive(value: Any) -> bool:
    try:
        return parse_quantity(value).nanos > 0
    except BadQuantity:
        return False


def _crosses_namespaces(pod: Json) -> bool:
    return any(
        term.get("namespaces") or term.get("namespaceSelector") is not None
        for kind in ("podAffinity", "podAntiAffinity")
        for term in _affinity_terms(at(pod, "spec", "affinity", kind))
    )


def _affinity_terms(affinity: Json) -> Iterator[Json]:
    yield from map(as_mapping, as_list(affinity.get("requiredDuringSchedulingIgnoredDuringExecution")))
    for weighted in as_list(affinity.get("preferredDuringSchedulingIgnoredDuringExecution")):
        yield at(weighted, "podAffinityTerm")


_RULES: Final[dict[str, Callable[[Json], bool]]] = {
    "Terminating": _is_terminating,
    "NotTerminating": lambda pod: not _is_terminating(pod),
    "BestEffort": _is_best_effort,
    "NotBestEffort": lambda pod: not _is_best_effort(pod),
    "CrossNamespacePodAffinity": _crosses_namespaces,
}
