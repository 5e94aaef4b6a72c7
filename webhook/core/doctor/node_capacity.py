"""Nodes whose labels or capacity of classes are not what their devices come to.

Reads: nodes, devices, pods and classes: the controller works the same out with the same rules, and writes
what differs.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.inventory.changes import NodeChanges
from webhook.core.inventory.shown_node import shown_node
from webhook.core.raw import at, name_of
from webhook.core.text import list_of
from webhook.core.values.names import Json

DIFFERS: Final = "NodeCapacity"
_MOST: Final = 3


def node_capacity(facts: Facts) -> Iterator[Finding]:
    """Find nodes that do not show what they have."""
    for node in facts.of("Node"):
        changes = _changes(facts, node)
        if changes:
            remedy = (
                "see whether the controller runs and may write nodes (kubectl logs); if another tool writes "
                "these keys, keep it from doing so"
            )
            text = list_of(_texts(node, changes), _MOST)
            yield error(DIFFERS, f"node {name_of(node)}", text, remedy)


def _changes(facts: Facts, node: Json) -> NodeChanges:
    name = name_of(node)
    devices, pods = facts.devices_of_node.get(name, ()), facts.pods_of_node.get(name, ())
    return shown_node(node, devices, pods, facts.classes, facts.membership).changes


def _texts(node: Json, changes: NodeChanges) -> Iterator[str]:
    for what, present, wanted in (
        ("label", at(node, "metadata", "labels"), changes.labels),
        ("capacity", at(node, "status", "capacity"), changes.capacity),
        ("allocatable", at(node, "status", "allocatable"), changes.allocatable),
    ):
        for key, value in sorted(wanted.items()):
            should = "should not be there" if value is None else f"should be {value}"
            yield f"{what} {key} is {present.get(key, 'missing')} and {should}"
