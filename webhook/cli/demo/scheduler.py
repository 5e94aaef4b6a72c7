"""The demo's scheduler: what kube-scheduler does for one pod, in the order in which it does it.

Nodes are sifted by the pod's affinity and by what they have left; those that remain go to the binder, which
filters, scores and binds, in the bytes that kube-scheduler would send.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from webhook.binder.app import Verbs
from webhook.cluster.api import Api
from webhook.core.explain.node_gates import gates
from webhook.core.raw import at
from webhook.core.text import list_of
from webhook.core.values.demand import demand
from webhook.core.values.names import Json, node_label, stored_key

NO_MATCH: Final = "node(s) didn't match Pod's node affinity/selector"


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a pod went, empty if nowhere, and by node why it did not go to the others."""

    node: str
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What kube-scheduler writes on a pod that must wait."""
        counts = Counter(self.refused.values())
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
        return f"0/{len(self.refused)} nodes are available: {reasons}."


class PlayedScheduler:
    """Places one pod at a time."""

    def __init__(self, api: Api, binder: Verbs) -> None:
        self._api = api
        self._binder = binder

    def place(self, pod: Json) -> Placed:
        """Find a node for a pod as the API server shows it, and bind it."""
        nodes, pods = (self._api.get(f"/api/v1/{plural}")["items"] for plural in ("nodes", "pods"))
        obstacles = {node["metadata"]["name"]: _obstacle(pod, node, pods) for node in nodes}
        refused = {name: reason for name, reason in obstacles.items() if reason}
        asked = {"Pod": pod, "NodeNames": [name for name, reason in obstacles.items() if not reason]}
        if not asked["NodeNames"]:
            return Placed("", refused)
        found = _read(self._binder.filter(orjson.dumps(asked)))
        refused |= found["FailedAndUnresolvableNodes"]
        if not found["NodeNames"]:
            return Placed("", refused)
        scores = _read(self._binder.prioritize(orjson.dumps(asked | {"NodeNames": found["NodeNames"]})))
        best = max(scores, key=lambda each: int(each["Score"]))["Host"]
        self._bind(pod, best)
        return Placed(best, refused)

    def _bind(self, pod: Json, node: str) -> None:
        metadata = pod["metadata"]
        names = {f"Pod{key}": metadata[key.lower()] for key in ("Namespace", "Name", "UID")}
        self._binder.bind(orjson.dumps({**names, "Node": node}))


def _obstacle(pod: Json, node: Json, pods: Iterable[Json]) -> str:
    labels, name = at(node, "metadata", "labels"), at(node, "metadata").get("name")
    asked = demand(pod.get("spec")).units
    if gates(pod, node) or any(node_label(each) not in labels for each in asked):
        return NO_MATCH
    wanted = Counter(asked)
    for other in pods:
        if at(other, "spec").get("nodeName") == name:
            wanted.update(demand(other.get("spec")).units)
    has = at(node, "status", "allocatable")
    lacking = [stored_key(each) for each in asked if wanted[each] > int(has.get(stored_key(each), 0))]
    return f"Insufficient {list_of(lacking)}" if lacking else ""


def _read(answer: tuple[bytes, str]) -> Any:
    return orjson.loads(answer[0])
