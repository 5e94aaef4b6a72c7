"""Which entries of the webhook configurations an object that is being created goes through.

The chart's rules, selectors and matchConditions in short. An object that the real conditions keep away and
these do not (a template without any class) makes no difference but a call: the rules leave it alone.
"""

from collections.abc import Mapping
from typing import Final

from webhook.core.mutate.adopt import asks_for_vendor
from webhook.core.raw import at
from webhook.core.values.containers import LIMITS, REQUESTS, containers
from webhook.core.values.demand import demand
from webhook.core.values.names import (
    ADOPT_LABEL,
    GROUP,
    ISOLATE_LABEL,
    WEBHOOK_LABEL,
    Json,
    class_of_stored_key,
    is_bare_candidate,
)
from webhook.core.values.pod_template import TEMPLATE_KINDS

_EXCLUDED_NAMESPACES: Final = frozenset({"kube-system"})
_IGNORE: Final = "ignore"


def mutating(document: Json, namespace: str, namespace_labels: Mapping[str, str]) -> list[str]:
    """Return the paths that are asked, in order, to change the object."""
    kind = document.get("kind")
    if _is_excluded(namespace, namespace_labels):
        return []
    if kind == "Pod":
        opted_out = at(document, "metadata", "labels").get(WEBHOOK_LABEL) == _IGNORE
        return _pod_paths("/mutate", document, namespace_labels, opted_out=opted_out)
    return ["/mutate"] if kind in {*TEMPLATE_KINDS, "ResourceQuota", "LimitRange"} else []


def validating(document: Json, namespace: str, namespace_labels: Mapping[str, str]) -> list[str]:
    """Return the paths that are asked to judge the object."""
    if str(document.get("apiVersion")).startswith(f"{GROUP}/"):
        return ["/validate"] if document.get("kind") == "ResourceClass" else []
    if _is_excluded(namespace, namespace_labels):
        return []
    if document.get("kind") == "Pod":
        return _pod_paths("/validate", document, namespace_labels)
    if document.get("kind") in TEMPLATE_KINDS:
        return ["/validate", *(["/validate/adopt"] if ADOPT_LABEL in namespace_labels else [])]
    return []


def asks_for_class(pod: Json) -> bool:
    """Whether a container names a class, or anything that could be one."""
    return any(
        class_of_stored_key(key) is not None or is_bare_candidate(key)
        for ref in containers(pod.get("spec"))
        for field in (LIMITS, REQUESTS)
        for key in ref.amounts(field)
    )


def _pod_paths(path: str, pod: Json, labels: Mapping[str, str], *, opted_out: bool = False) -> list[str]:
    isolated = labels.get(ISOLATE_LABEL) == "true"
    asked = asks_for_class(pod) and not opted_out
    adopted = ADOPT_LABEL in labels and _asks_for_vendor_alone(pod) and not opted_out
    return [f"{path}/isolate"] * isolated + [path] * asked + [f"{path}/adopt"] * adopted


def _asks_for_vendor_alone(pod: Json) -> bool:
    spec = pod.get("spec")
    return not demand(spec) and any(asks_for_vendor(ref) for ref in containers(spec))


def _is_excluded(namespace: str, labels: Mapping[str, str]) -> bool:
    return namespace in _EXCLUDED_NAMESPACES or labels.get(WEBHOOK_LABEL) == _IGNORE
