"""Nodes whose labels do not tell which devices they hold: mixed ones, and sources that contradict each other.

Reads: labels and capacity of nodes. Where somebody else writes the devices of a node, such as the node agent,
its labels do not matter.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.inventory.device_objects import is_from_labels
from webhook.core.inventory.label_sources import label_devices
from webhook.core.raw import as_text, at, name_of

MIXED: Final = "MixedNode"
CONTRADICTION: Final = "LabelsContradict"


def node_labels(facts: Facts) -> Iterator[Finding]:
    """Find nodes whose labels are refused or doubtful."""
    described = {
        as_text(at(obj, "spec").get("nodeName"))
        for obj in facts.of("ExtendedResource")
        if not is_from_labels(obj)
    }
    for node in facts.of("Node"):
        name = name_of(node)
        if name in described:
            continue
        said = label_devices(node)
        if said.refusal:
            text = f"no class pod gets a device there: {said.refusal.reason}: {said.refusal.message}"
            remedy = "do what the message says, or write the node's devices by hand (docs/scheduling.md)"
            yield error(MIXED, f"node {name}", text, remedy)
        for text in said.warnings:
            remedy = "correct or remove the label that is wrong; one source is enough (docs/inventory.md)"
            yield warning(CONTRADICTION, f"node {name}", text, remedy)
