"""Why a pod may not go to a node whatever its devices: what the user, or an admin, has said of nodes.

Reads spec.nodeSelector, spec.affinity.nodeAffinity and spec.tolerations of the pod, and spec.unschedulable,
spec.taints and the labels of the node, as kube-scheduler's plugins NodeUnschedulable, TaintToleration and
NodeAffinity do (component-helpers/scheduling/corev1). The expressions that the webhook adds for classes are
left out: whether a node shows its devices is another question (shown.py).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.text import list_of
from webhook.core.values.names import NODE_LABEL_PREFIX, Json

UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_REQUIRED: Final = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


def gates(pod: Json, node: Json) -> tuple[str, ...]:
    """Return what keeps the pod off the node, as phrases that read after `the node`; empty when nothing."""
    return tuple(_gates(at(pod, "spec"), node))


def _gates(spec: Json, node: Json) -> Iterator[str]:
    labels = at(node, "metadata", "labels")
    tolerations = [as_mapping(item) for item in as_list(spec.get("tolerations"))]
    if at(node, "spec").get("unschedulable") is True and not _tolerated(
        {"key": UNSCHEDULABLE, "effect": "NoSchedule"}, tolerations
    ):
        yield "is cordoned"
    for taint in map(as_mapping, as_list(at(node, "spec").get("taints"))):
        hard = taint.get("effect") in ("NoSchedule", "NoExecute")
        if hard and taint.get("key") != UNSCHEDULABLE and not _tolerated(taint, tolerations):
            yield f"has the taint {_taint_text(taint)}, which the pod does not tolerate"
    lacking = [f"{k}={v}" for k, v in at(spec, "nodeSelector").items() if labels.get(k) != v]
    if lacking:
        yield f"lacks {list_of(lacking)} of the pod's nodeSelector"
    if not _affinity_matches(at(spec, *_REQUIRED), labels, as_text(at(node, "metadata").get("name"))):
        yield "does not match the pod's node affinity"


def _taint_text(taint: Json) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


def _tolerated(taint: Json, tolerations: list[Json]) -> bool:
    return any(_tolerates(item, taint) for item in tolerations)


def _tolerates(toleration: Json, taint: Json) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("key")) and (toleration.get("value") or "") == (taint.get("value") or "")


def _affinity_matches(required: Json, labels: Json, name: str) -> bool:
    """Whether a term holds. An empty one matches nothing; one that speaks of classes alone, everything."""
    if not required:
        return True
    return any(
        _term_matches(term, labels, name)
        for term in map(as_mapping, as_list(required.get("nodeSelectorTerms")))
        if term.get("matchExpressions") or term.get("matchFields")
    )


def _term_matches(term: Json, labels: Json, name: str) -> bool:
    expressions = [as_mapping(item) for item in as_list(term.get("matchExpressions"))]
    own = [item for item in expressions if not as_text(item.get("key")).startswith(NODE_LABEL_PREFIX)]
    fields = [as_mapping(item) for item in as_list(term.get("matchFields"))]
    by_label = all(_holds(item, labels) for item in own)
    return by_label and all(_holds(item, {"metadata.name": name}) for item in fields)


def _holds(item: Json, labels: Json) -> bool:
    rule = _OPERATORS.get(as_text(item.get("operator")))
    return rule is not None and rule(labels.get(as_text(item.get("key"))), as_list(item.get("values")))


def _number(value: Any) -> int | None:
    text = as_text(value)
    return int(text) if text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() else None


def _compared(value: Any, values: list[Any], sign: int) -> bool:
    own, other = _number(value), _number(values[0]) if values else None
    return own is not None and other is not None and sign * own > sign * other


_OPERATORS: Final[Mapping[str, Callable[[Any, list[Any]], bool]]] = {
    "In": lambda value, values: value is not None and value in values,
    "NotIn": lambda value, values: value is None or value not in values,
    "Exists": lambda value, values: value is not None,  # noqa: ARG005
    "DoesNotExist": lambda value, values: value is None,  # noqa: ARG005
    "Gt": lambda value, values: _compared(value, values, 1),
    "Lt": lambda value, values: _compared(value, values, -1),
}
