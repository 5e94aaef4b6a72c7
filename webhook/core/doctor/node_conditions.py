"""Nodes of which the controller says that their devices cannot be used, and why.

Reads: the condition ResourceClassReady. Of labels that are refused or unsettled other rules tell.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.inventory.device_changes import LABELS_CHANGING, LABELS_MISSING
from webhook.core.inventory.label_sources import label_devices
from webhook.core.inventory.vendor_plugin import SHARED_WITH_VENDOR_PLUGIN
from webhook.core.raw import as_list, as_mapping, as_text, at, name_of
from webhook.core.values.names import NODE_CONDITION, Json

SHARED: Final = SHARED_WITH_VENDOR_PLUGIN
NOT_READY: Final = "NodeDevicesNotReady"


def condition_of(node: Json) -> Json:
    """Return the condition of ours, empty where there is none."""
    conditions = map(as_mapping, as_list(at(node, "status").get("conditions")))
    return next((item for item in conditions if item.get("type") == NODE_CONDITION), {})


def node_conditions(facts: Facts) -> Iterator[Finding]:
    """Find nodes whose condition is False."""
    for node in facts.of("Node"):
        condition = condition_of(node)
        reason = as_text(condition.get("reason"))
        if condition.get("status") != "False" or reason in (LABELS_CHANGING, LABELS_MISSING):
            continue
        refusal = label_devices(node).refusal
        if refusal and refusal.reason == reason:
            continue
        rule = SHARED if reason == SHARED else NOT_READY
        text = f"condition {NODE_CONDITION}: {reason}: {as_text(condition.get('message'))}"
        remedy = "see docs/sharing.md" if rule == SHARED else "do what the message says (docs/inventory.md)"
        yield error(rule, f"node {name_of(node)}", text, remedy)
