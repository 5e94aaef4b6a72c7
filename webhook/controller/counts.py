"""How many devices of each class there are, by node, so that a change costs the work of one node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from webhook.core.inventory.class_status import ClassCount, total_counts


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """One node: the counts of its classes, and its devices that pods hold beyond what they can serve."""

    classes: Mapping[str, ClassCount] = field(default_factory=dict)
    doubles: int = 0


class Counts:
    """The counts of all nodes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._nodes: dict[str, NodeCounts] = {}

    def put(self, node: str, counts: NodeCounts) -> set[str]:
        """Take the counts of a node; returns the classes of which they have changed."""
        with self._lock:
            before = self._nodes.get(node, NodeCounts())
            if counts.classes or counts.doubles:
                self._nodes[node] = counts
            else:
                self._nodes.pop(node, None)
        names = {*before.classes, *counts.classes}
        return {name for name in names if before.classes.get(name) != counts.classes.get(name)}

    def total(self, name: str) -> ClassCount | None:
        """Return the count of one class in the cluster; None where no node has any of it."""
        with self._lock:
            found = [{name: each.classes[name]} for each in self._nodes.values() if name in each.classes]
        return total_counts(found).get(name)

    def totals(self) -> dict[str, ClassCount]:
        """Return the counts of all classes in the cluster."""
        with self._lock:
            found = [each.classes for each in self._nodes.values()]
        return total_counts(found)

    @property
    def doubles(self) -> int:
        """How many devices pods hold beyond what they can serve."""
        with self._lock:
            return sum(each.doubles for each in self._nodes.values())
