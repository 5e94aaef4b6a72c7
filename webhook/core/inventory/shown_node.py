"""What a node should show of its devices: the one rule by which the controller writes and doctor judges."""

from collections.abc import Sequence
from dataclasses import dataclass

from webhook.core.inventory.changes import NodeChanges, node_changes
from webhook.core.inventory.holdings import holdings_of
from webhook.core.inventory.node_condition import NodeVerdict
from webhook.core.inventory.units import node_units
from webhook.core.inventory.vendor_plugin import shown_units, vendor_plugin
from webhook.core.placement.membership import Membership
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json


@dataclass(frozen=True, slots=True)
class ShownNode:
    """What differs from it, and what is to be said where a vendor's plugin keeps a class from being shown."""

    changes: NodeChanges
    verdict: NodeVerdict | None


def shown_node(
    node: Json,
    devices: Sequence[ExtendedResource],
    pods: Sequence[PodEntry],
    classes: Classes,
    membership: Membership,
) -> ShownNode:
    """Judge one node by its devices and its unfinished pods; `membership` is that of `classes`."""
    plugin = vendor_plugin(node, devices, pods, classes, membership)
    asked = ({"spec": pod.spec} for pod in pods)
    units = node_units(devices, asked, classes, membership, holdings_of(pods))
    return ShownNode(node_changes(node, shown_units(units, plugin.hidden)), plugin.verdict)
