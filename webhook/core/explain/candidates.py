"""Which nodes could serve a pod, how near each comes, and what keeps the pod off it."""

from dataclasses import replace

from webhook.core.explain.answer import Candidate
from webhook.core.explain.node_gates import gates
from webhook.core.explain.scene import Devices, Scene
from webhook.core.explain.shown import not_shown
from webhook.core.placement.bits import mask_of
from webhook.core.placement.node import Node, loaded
from webhook.core.placement.place import fits
from webhook.core.placement.reasons import Cause, Refusal
from webhook.core.placement.requests import PodRequests

NO_NODE = ("is no node of the cluster",)


def candidates(scene: Scene, devices: Devices) -> tuple[Candidate, ...]:
    """Return the nodes with a device of every class of the pod, the nearest first.

    A node that has room and may not be used comes before one that may be used and has none.
    """
    names = tuple(scene.demand.units)
    found = [
        _candidate(scene, devices, node)
        for node in devices.nodes.values()
        if all(node.devices.serving.get(name) for name in names)
    ]
    return tuple(sorted(found, key=_distance))


def _distance(item: Candidate) -> tuple[bool, bool, bool, bool, int, int, str]:
    return (
        bool(item.lacks),
        bool(item.gates),
        bool(item.never),
        item.is_blocked,
        item.missing,
        len(item.hidden),
        item.node,
    )


def _candidate(scene: Scene, devices: Devices, node: Node) -> Candidate:
    name = node.devices.name
    refusal = fits(scene.requests, node)
    never = fits(scene.requests, _empty(node)) if refusal else None
    found = Candidate(
        node=name,
        lacks=refusal.text if refusal else "",
        never=never.text if never else "",
        missing=_missing(scene.requests, refusal) if refusal else 0,
        is_blocked=node.is_blocked,
    )
    if scene.nodes is None:
        return found
    seen = scene.nodes.get(name)
    if seen is None:
        return replace(found, gates=NO_NODE)
    hidden = () if refusal else not_shown(scene.demand, seen, devices.pods.get(name, ()), devices.classes)
    return replace(found, gates=gates(scene.pod, seen), hidden=hidden)


def _missing(requests: PodRequests, refusal: Refusal) -> int:
    """Return about how many units a node is short of."""
    asked = dict.fromkeys((item.class_name for item in requests.requests), 0)
    for item in requests.requests:
        asked[item.class_name] += item.units if item.memory_bytes is None else 1
    short = sum(
        max(1, asked.get(item.class_name, 1) - item.causes.get(Cause.FREE, 0)) for item in refusal.shortages
    )
    return max(short, 1)


def _empty(node: Node) -> Node:
    well = replace(node.devices, healthy=mask_of(range(len(node.devices.devices))))
    return loaded(well, ())
