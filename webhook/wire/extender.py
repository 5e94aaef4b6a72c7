"""The calls of a scheduler's extender: what kube-scheduler posts, and what it reads.

The shapes are those of k8s.io/kube-scheduler/extender/v1, types.go: Go fields without tags, so their names
begin with capitals. Any status but 200 costs the text of an error, which is why the answers to filter and
bind carry errors of their own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from webhook.core.errors import BadReview
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values.names import Json

MAX_PRIORITY: Final = 10
"""MaxExtenderPriority of the same package."""


@dataclass(frozen=True, slots=True)
class PodQuestion:
    """Which of these nodes suit a pod (filter), or how well (prioritize)."""

    pod: Json
    node_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Victims:
    """The pods that would have to go from one node, by uid."""

    uids: tuple[str, ...]
    pdb_violations: int = 0


@dataclass(frozen=True, slots=True)
class PreemptQuestion:
    """What the scheduler proposes, node by node, to make room for a pod."""

    pod: Json
    proposals: Mapping[str, Victims]


@dataclass(frozen=True, slots=True)
class BindQuestion:
    """Which pod to bind to which node."""

    namespace: str
    name: str
    uid: str
    node: str


def read_pod_question(body: bytes) -> PodQuestion:
    """Read ExtenderArgs. Raises BadReview."""
    document = _document(body)
    names = document.get("NodeNames")
    if not isinstance(names, list):
        raise BadReview("NodeNames must be a list: set nodeCacheCapable: true for this extender")
    return PodQuestion(_pod(document), tuple(names))


def read_preempt_question(body: bytes) -> PreemptQuestion:
    """Read ExtenderPreemptionArgs, with pods or with their uids alone. Raises BadReview."""
    document = _document(body)
    proposals = as_mapping(document.get("NodeNameToMetaVictims") or document.get("NodeNameToVictims"))
    return PreemptQuestion(_pod(document), {node: _victims(raw) for node, raw in proposals.items()})


def read_bind_question(body: bytes) -> BindQuestion:
    """Read ExtenderBindingArgs. Raises BadReview naming what is missing."""
    document = _document(body)
    fields = {name: as_text(document.get(name)) for name in ("PodNamespace", "PodName", "PodUID", "Node")}
    missing = [name for name, value in fields.items() if not value]
    if missing:
        raise BadReview(f"{missing[0]} must be a text that is not empty")
    return BindQuestion(*fields.values())


def filter_answer(node_names: Iterable[str], refused: Mapping[str, str]) -> bytes:
    """Return ExtenderFilterResult: the nodes that pass, and why no preemption helps on the others."""
    answer = {"NodeNames": list(node_names), "FailedAndUnresolvableNodes": dict(refused), "Error": ""}
    return orjson.dumps(answer)


def prioritize_answer(scores: Mapping[str, int]) -> bytes:
    """Return HostPriorityList."""
    return orjson.dumps([{"Host": node, "Score": score} for node, score in scores.items()])


def preempt_answer(victims: Mapping[str, Victims]) -> bytes:
    """Return ExtenderPreemptionResult; nodes that are left out are no candidates."""
    found = {
        node: {"Pods": [{"UID": uid} for uid in item.uids], "NumPDBViolations": item.pdb_violations}
        for node, item in victims.items()
    }
    return orjson.dumps({"NodeNameToMetaVictims": found})


def error_answer(message: str) -> bytes:
    """Return the result of a filter or a bind that failed; of a bind that did not, with an empty message."""
    return orjson.dumps({"Error": message})


def _document(body: bytes) -> Json:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadReview(f"the body is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise BadReview("the body must be a JSON object: the arguments of an extender call")
    return document


def _pod(document: Json) -> Json:
    pod = document.get("Pod")
    if not isinstance(pod, dict):
        raise BadReview("Pod must be an object")
    return pod


def _victims(raw: Any) -> Victims:
    entry = as_mapping(raw)
    uids = (_uid(pod) for pod in as_list(entry.get("Pods")))
    count = entry.get("NumPDBViolations")
    return Victims(tuple(uid for uid in uids if uid), count if isinstance(count, int) else 0)


def _uid(pod: Any) -> str:
    """Return the uid of a MetaPod, or of a whole pod."""
    return as_text(as_mapping(pod).get("UID")) or as_text(at(as_mapping(pod), "metadata").get("uid"))
