"""What must change on a Node so that it shows its units: labels, and capacity with allocatable.

Only keys of classes are touched. A key of a class that no device and no pod of the node speaks of any more
goes; a class whose devices are all sick stays with 0, which is not the same as a node without such devices.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from webhook.core.inventory.units import ClassUnits
from webhook.core.raw import at
from webhook.core.values import names
from webhook.core.values.names import Json


@dataclass(frozen=True, slots=True)
class NodeChanges:
    """Merge patches: key to value, None for a key that goes. Empty when there is nothing to do."""

    labels: Mapping[str, str | None] = field(default_factory=dict)
    capacity: Mapping[str, str | None] = field(default_factory=dict)
    allocatable: Mapping[str, str | None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.labels or self.capacity or self.allocatable)

    def metadata_patch(self) -> Json:
        """Return the merge patch of the Node."""
        return {"metadata": {"labels": dict(self.labels)}} if self.labels else {}

    def status_patch(self) -> Json:
        """Return the merge patch of the Node's status."""
        parts = {"capacity": self.capacity, "allocatable": self.allocatable}
        status = {name: dict(changes) for name, changes in parts.items() if changes}
        return {"status": status} if status else {}


def node_changes(node: Json, units: Mapping[str, ClassUnits]) -> NodeChanges:
    """Return what must be written to a Node; not the capacity of classes that a device plugin registers."""
    labels = {names.node_label(name): str(item.label) for name, item in units.items()}
    amounts = {
        names.stored_key(name): str(item.capacity) for name, item in units.items() if not item.is_registered
    }
    registered = {names.stored_key(name) for name, item in units.items() if item.is_registered}
    return NodeChanges(
        labels=_changes(at(node, "metadata", "labels"), labels, names.NODE_LABEL_PREFIX, set()),
        capacity=_changes(at(node, "status", "capacity"), amounts, names.STORED_PREFIX, registered),
        allocatable=_changes(at(node, "status", "allocatable"), amounts, names.STORED_PREFIX, registered),
    )


def _changes(
    present: Json, wanted: Mapping[str, str], prefix: str, untouched: set[str]
) -> dict[str, str | None]:
    gone = [key for key in present if key.startswith(prefix) and key not in wanted and key not in untouched]
    changed = {key: value for key, value in wanted.items() if present.get(key) != value}
    return {**changed, **dict.fromkeys(gone)}
