"""The condition `ResourceClassReady` of a Node: whether its devices are known, and what to do if not."""

from dataclasses import dataclass
from typing import Final

from webhook.core.raw import as_list, as_mapping, at
from webhook.core.values.names import NODE_CONDITION, Json

DEVICES_KNOWN: Final = "DevicesKnown"


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """What is to be said of a node: `reason` is a word in CamelCase, `message` a sentence."""

    is_ready: bool
    reason: str
    message: str


def first_verdict(*verdicts: NodeVerdict | None) -> NodeVerdict | None:
    """Return the first verdict that is not ready, else the first there is."""
    present = [verdict for verdict in verdicts if verdict is not None]
    return next((verdict for verdict in present if not verdict.is_ready), present[0] if present else None)


def node_condition(node: Json, verdict: NodeVerdict | None, now: str) -> Json | None:
    """Return the strategic merge patch of a Node's status that says `verdict`; None where it says so already.

    `now` is a time as Kubernetes writes it. Without a verdict the condition goes: the node has no devices.
    """
    conditions = [as_mapping(item) for item in as_list(at(node, "status").get("conditions"))]
    present = next((item for item in conditions if item.get("type") == NODE_CONDITION), None)
    if verdict is None:
        gone = {"type": NODE_CONDITION, "$patch": "delete"}
        return {"status": {"conditions": [gone]}} if present else None
    wanted = {
        "type": NODE_CONDITION,
        "status": "True" if verdict.is_ready else "False",
        "reason": verdict.reason,
        "message": verdict.message,
    }
    if present and wanted.items() <= present.items():
        return None
    stays = present is not None and present.get("status") == wanted["status"]
    since = present.get("lastTransitionTime") if present and stays else None
    wanted["lastTransitionTime"] = since if isinstance(since, str) else now
    return {"status": {"conditions": [wanted]}}
