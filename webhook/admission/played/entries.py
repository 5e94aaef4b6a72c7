"""Which entries of the webhook configurations an object that is being created goes through.

The chart's rules, selectors and matchConditions in short. An object that the real conditions keep away and
these do not (a template without any class) makes no difference but a call: the rules leave it alone.
"""

from collections.abc import Mapping
from typing import Final

from webhook.core.raw import at
from webhook.core.values.containers import LIMITS, REQUESTS, containers
from webhook.core.values.names import (
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
        asked = asks_for_class(document) and not opted_out
        return _pod_paths("/mutate", asked=asked, isolated=_is_isolated(namespace_labels))
    return ["/mutate"] if kind in {*TEMPLATE_KINDS, "ResourceQuota", "LimitRange"} else []


def validating(document: Json, namespace: str, namespace_labels: Mapping[str, str]) -> list[str]:
    """Return the paths that are asked to judge the object."""
    if str(document.get("apiVersion")).startswith(f"{GROUP}/"):
        return ["/validate"] if document.get("kind") == "ResourceClass" else []
    if _is_excluded(namespace, namespace_labels):
        return []
    if document.get("kind") == "Pod":
        asked = asks_for_class(document)
        return _pod_paths("/validate", asked=asked, isolated=_is_isolated(namespace_labels))
    return ["/validate"] if document.get("kind") in TEMPLATE_KINDS else []


def asks_for_class(pod: Json) -> bool:
    """Whether a container names a class, or anything that could be one."""
    return any(
        class_of_stored_key(key) is not None or is_bare_candidate(key)
        for ref in containers(pod.get("spec"))
        for field in (LIMITS, REQUESTS)
        for key in ref.amounts(field)
    )


def _pod_paths(path: str, *, asked: bool, isolated: bool) -> list[str]:
    return [f"{path}/isolate"] * isolated + [path] * asked


def _is_excluded(namespace: str, labels: Mapping[str, str]) -> bool:
    return namespace in _EXCLUDED_NAMESPACES or labels.get(WEBHOOK_LABEL) == _IGNORE


def _is_isolated(labels: Mapping[str, str]) -> bool:
    return labels.get(ISOLATE_LABEL) == "true"
