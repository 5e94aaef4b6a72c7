"""Whether a node shows the units that its devices could serve: the label and the allocatable per class.

The scheduler counts by these before it asks about devices. They are written by the controller, and may be
missing, or counted down by pods that hold no device of the class.
"""

from collections.abc import Iterable, Iterator

from webhook.core.placement.pod_entry import PodEntry
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.text import plural
from webhook.core.values.classes import Classes
from webhook.core.values.demand import Demand, demand
from webhook.core.values.names import NODE_CONDITION, Json, node_label, stored_key
from webhook.core.values.quantity import units_or_zero


def not_shown(asked: Demand, node: Json, on_node: Iterable[PodEntry], classes: Classes) -> tuple[str, ...]:
    """Return by what a node with devices is refused all the same, as phrases that read after `the node`.

    `on_node` are the unfinished pods bound to it.
    """
    used = [demand(entry.spec).units for entry in on_node]
    found: list[str] = []
    for name, units in asked.units.items():
        known = classes.get(name)
        least = asked.largest[name] if known is not None and known.is_share else units
        found += _label(node, name, least)
        found += _allocatable(node, name, units, sum(item.get(name, 0) for item in used))
    return tuple(found)


def complaint(node: Json) -> str:
    """Return why the controller does not show the devices of a node; empty where it does not say."""
    for condition in map(as_mapping, as_list(at(node, "status").get("conditions"))):
        if condition.get("type") == NODE_CONDITION and condition.get("status") == "False":
            return f"{as_text(condition.get('reason'))}: {as_text(condition.get('message'))}"
    return ""


def _label(node: Json, name: str, least: int) -> Iterator[str]:
    label = node_label(name)
    value = at(node, "metadata", "labels").get(label)
    if value is None:
        yield f"has no label {label}"
    elif units_or_zero(value) < least:
        yield f"has the label {label}={value}, the pod needs {least}"


def _allocatable(node: Json, name: str, units: int, used: int) -> Iterator[str]:
    key = stored_key(name)
    value = at(node, "status", "allocatable").get(key)
    if value is None:
        yield f"lists no {key} in its allocatable"
    elif units_or_zero(value) - used < units:
        units_text = plural(units_or_zero(value), "unit")
        yield f"lists {units_text} of {name} in its allocatable, of which {used} are in use"
