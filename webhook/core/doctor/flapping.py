"""Nodes whose labels have changed or gone, so that their devices are kept back.

Reads: the reason of devices, and the condition of nodes.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, warning
from webhook.core.doctor.node_conditions import condition_of
from webhook.core.inventory.device_changes import LABELS_CHANGING, LABELS_MISSING
from webhook.core.raw import as_text, at, name_of

UNSETTLED: Final = "LabelsUnsettled"

_TEXTS: Final = {
    LABELS_CHANGING: "its labels have changed: nobody gets the devices before they settle",
    LABELS_MISSING: "the labels that described its devices are gone: nobody gets these",
}
_REMEDY: Final = (
    "if the node still has its devices, see what became of the source of its labels; labels that change for "
    "more than 5 minutes most often mean several models in one node: run the node agent there"
)


def flapping(facts: Facts) -> Iterator[Finding]:
    """Find nodes whose labels are not settled, each once for a reason."""
    said = [
        (as_text(at(obj, "spec").get("nodeName")), as_text(at(obj, "status").get("reason")))
        for obj in facts.of("ExtendedResource")
    ]
    said += [(name_of(node), as_text(condition_of(node).get("reason"))) for node in facts.of("Node")]
    for node, reason in sorted({(node, reason) for node, reason in said if reason in _TEXTS}):
        yield warning(UNSETTLED, f"node {node}", f"{reason}: {_TEXTS[reason]}", _REMEDY)
