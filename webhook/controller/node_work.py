"""Brings one node up to date: its devices, their status, its labels, its capacity and its condition."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from webhook.cluster.events import time_text
from webhook.cluster.listing import key_of
from webhook.controller.class_work import ClassMaker
from webhook.controller.counts import Counts, NodeCounts
from webhook.controller.device_writes import DeviceWrites
from webhook.controller.doubles import Double, Doubles, doubles_among
from webhook.controller.kept import NODES, is_same_but_for_ours, keep_node
from webhook.controller.notices import Notices
from webhook.controller.queue import Key
from webhook.controller.world import CLASS_STATUS, CLASSES, CROWD_SECONDS, NODE, Told, World
from webhook.controller.writing import Writer
from webhook.core.inventory.class_status import node_counts
from webhook.core.inventory.holdings import Holdings, holdings_of
from webhook.core.inventory.node_condition import NodeVerdict, first_verdict, node_condition
from webhook.core.inventory.plan_devices import DevicePlan, Settling, plan_devices, plan_gone_node
from webhook.core.inventory.shown_node import shown_node
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.raw import at, name_of
from webhook.core.values.extended_resource import ExtendedResource, read_extended_resources
from webhook.core.values.names import Json

# The watch of nodes may be behind that of devices: a new node's devices must not go because of that.
# Kubernetes itself collects the devices of a node that is gone, by their owner; this is for what it misses.
GONE_SECONDS: Final = 15.0
LABELS_IN_DOUBT: Final = "DeviceLabelsInDoubt"


@dataclass(frozen=True, slots=True)
class Parts:
    """What the work on a node is done with."""

    writer: Writer
    makers: ClassMaker
    devices: DeviceWrites
    doubles: Doubles
    counts: Counts
    notices: Notices


class NodeWork:
    """One node per call; the same node never twice at once."""

    def __init__(
        self,
        world: World,
        told: Told,
        parts: Parts,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._world = world
        self._told = told
        self._parts = parts
        self._clock = clock
        self._wall = wall
        # What is being waited out, by node. In memory alone: a restart only waits anew.
        self._settling: dict[str, Settling] = {}
        self._gone_since: dict[str, float] = {}

    def __call__(self, name: str) -> float | None:
        """Bring the node up to date; returns after how many seconds to look again, None if for no reason."""
        node = self._world.nodes.get(("", name))
        holdings = holdings_of(self._world.pods.of(name))
        if node is None:
            return self._gone(name)
        self._gone_since.pop(name, None)
        plan = self._plan(node, name, holdings)
        self._parts.devices.carry_out(plan)
        if not self._parts.makers.ensure(self._world.devices.of(name)):
            self._told.add_after(Key(CLASSES), CROWD_SECONDS)
        self._parts.devices.write_statuses(self._world.devices.of(name), holdings)
        # The pods anew: one that was bound during the writes above has its units counted as well.
        verdict = self._write_node(node, self._read(name), self._world.pods.of(name), plan.verdict)
        doubles = self.count(name)
        self._tell(node, plan.warnings, verdict)
        self._act(doubles)
        return plan.retry_seconds

    def count(self, name: str) -> Sequence[Double]:
        """Count the devices of a node and have the status of changed classes written.

        Returns the devices that pods hold beyond what they can serve. It writes nothing itself.
        """
        devices, holdings = self._read(name), holdings_of(self._world.pods.of(name))
        classes, membership = self._world.read_classes()
        doubles = doubles_among(devices, holdings)
        counts = NodeCounts(node_counts(devices, holdings, classes, membership), len(doubles))
        for changed in self._parts.counts.put(name, counts):
            self._told.add_after(Key(CLASS_STATUS, changed), CROWD_SECONDS)
        return doubles

    def forget(self) -> None:
        """Forget what was being waited out: another controller may go on meanwhile."""
        self._settling.clear()
        self._gone_since.clear()

    def _gone(self, name: str) -> float | None:
        """Delete our devices of a node that does not exist, once that is sure."""
        self._settling.pop(name, None)
        self.count(name)
        objects = plan_gone_node(self._world.devices.of(name))
        if not objects:
            self._gone_since.pop(name, None)
            return None
        left = self._gone_since.setdefault(name, self._clock()) + GONE_SECONDS - self._clock()
        if left > 0:
            return left
        self._parts.devices.delete(objects)
        self._gone_since.pop(name, None)
        self.count(name)
        return None

    def _plan(self, node: Json, name: str, holdings: Holdings) -> DevicePlan:
        held = {device for _, device in holdings.by_device}
        plan, settling = plan_devices(
            node,
            self._world.devices.of(name),
            held,
            self._settling.get(name),
            self._clock(),
        )
        if settling is None:
            self._settling.pop(name, None)
        else:
            self._settling[name] = settling
        return plan

    def _read(self, name: str) -> Sequence[ExtendedResource]:
        devices, _ = read_extended_resources(self._world.devices.of(name))
        return devices

    def _write_node(
        self,
        node: Json,
        devices: Sequence[ExtendedResource],
        pods: Sequence[PodEntry],
        planned: NodeVerdict | None,
    ) -> NodeVerdict | None:
        """Write labels, capacity and condition, where they differ; returns what is to be said of the node."""
        classes, membership = self._world.read_classes()
        shown = shown_node(node, devices, pods, classes, membership)
        changes, verdict = shown.changes, first_verdict(planned, shown.verdict)
        condition = node_condition(node, verdict, time_text(self._wall()))
        status = {**at(changes.status_patch(), "status"), **at(condition or {}, "status")}
        patch = {**changes.metadata_patch(), **({"status": status} if status else {})}
        if patch:
            stored = self._parts.writer.patch_node(NODES, node, patch)
            self._learn(node, keep_node(stored))
        return verdict

    def _learn(self, before: Json, after: Json) -> None:
        """Take in the answer to a patch of a Node; if somebody else has changed it too, look at it again."""
        self._world.nodes.update(key_of(after), after)
        if not is_same_but_for_ours(before, after):
            self._told.add(Key(NODE, name_of(after)))

    def _tell(self, node: Json, warnings: Sequence[str], verdict: NodeVerdict | None) -> None:
        if warnings:
            # As one text: an event shows the latest of its reason.
            self._parts.notices.tell(node, LABELS_IN_DOUBT, "; ".join(warnings))
        if verdict is not None and not verdict.is_ready:
            self._parts.notices.tell(node, verdict.reason, verdict.message)

    def _act(self, doubles: Sequence[Double]) -> None:
        for double in doubles:
            obj = self._world.devices.get(("", double.device.name))
            if obj is not None:
                self._parts.doubles.act(obj, double)
