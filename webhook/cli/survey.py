"""The state of the devices of a cluster, read once: what the commands about classes and pods look at.

What is taken is worked out by the binder's own books, so that a command and the binder never disagree.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from webhook.binder.node_book import NodeBook
from webhook.cluster.listing import Resource, key_of
from webhook.cluster.reads import Reads, collector_paused
from webhook.cluster.resources import RESOURCE_CLASSES, UNFINISHED
from webhook.core.inventory.holdings import Holdings, holdings_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.node import Node
from webhook.core.placement.pod_entry import PodEntry, keep_pod
from webhook.core.raw import at
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import BadDevice, ExtendedResource, parse_extended_resource
from webhook.core.values.names import API_VERSION, Json


class SeenPod(NamedTuple):
    """An unfinished pod that devices are a matter of."""

    entry: PodEntry
    is_terminating: bool


def keep_seen(obj: Json) -> SeenPod | None:
    """Keep a pod that asks for a class or holds a device, and whether it is being deleted."""
    entry = keep_pod(obj)
    if entry is None:
        return None
    return SeenPod(entry, at(obj, "metadata").get("deletionTimestamp") is not None)


def keep_device(obj: Json) -> ExtendedResource | str:
    """Keep a device, or the sentence about an object that names none."""
    try:
        return parse_extended_resource(obj)
    except BadDevice as error:
        return f"ExtendedResource {key_of(obj)[1]}: {error}"


DEVICES: Final[Resource[ExtendedResource | str]] = Resource(
    "ExtendedResource", f"/apis/{API_VERSION}", "extendedresources", keep_device
)
PODS: Final[Resource[SeenPod]] = Resource(
    "Pod",
    "/api/v1",
    "pods",
    keep_seen,
    query={"fieldSelector": UNFINISHED},
)


@dataclass(frozen=True, slots=True)
class Survey:
    """One moment. `nodes` are those that have devices or pods with some, by name, with all that is taken."""

    classes: Classes
    nodes: Mapping[str, Node]
    pods: Sequence[SeenPod]
    holdings: Holdings
    problems: Sequence[str] = ()  # objects that could not be read


def survey(reads: Reads) -> Survey:
    """Read classes, devices and pods, each collection once. Raises what reading raises."""
    classes = Classes.of(reads.all(RESOURCE_CLASSES))
    with collector_paused():
        found, pods = reads.all(DEVICES), reads.all(PODS)
        devices = [item for item in found if isinstance(item, ExtendedResource)]
        entries = [pod.entry for pod in pods]
        return Survey(
            classes=classes,
            nodes=loaded_nodes(classes, devices, entries),
            pods=pods,
            holdings=holdings_of(entries),
            problems=[item for item in found if isinstance(item, str)],
        )


def loaded_nodes(
    classes: Classes, devices: Iterable[ExtendedResource], pods: Iterable[PodEntry]
) -> dict[str, Node]:
    """Return every node that a device or a pod names, as the binder sees it."""
    membership, books = Membership(classes), _Books()
    sizes: Counter[str] = Counter()
    for device in devices:
        books[device.node].devices[device.name] = device
        sizes.update(membership.of(device.properties))
    for entry in pods:
        if entry.node:
            books[entry.node].pods[entry.uid or entry.title] = entry
    return {name: books[name].node(membership, sizes) for name in sorted(books)}


class _Books(dict[str, NodeBook]):
    def __missing__(self, name: str) -> NodeBook:
        self[name] = NodeBook(name)
        return self[name]
