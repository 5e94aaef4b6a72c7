"""The parts of a controller put together over one API server."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from webhook.cluster.api import Api
from webhook.cluster.cache import Watch
from webhook.cluster.device_pods import DEVICE_PODS
from webhook.cluster.leases import Leases, NoLease
from webhook.cluster.object_events import ObjectEvents
from webhook.cluster.pods import Pods
from webhook.cluster.watch_group import WatchGroup
from webhook.controller import kept, rounds, world
from webhook.controller.class_work import ClassMaker, ClassStatus
from webhook.controller.controller import Controller, Report, Work
from webhook.controller.counts import Counts
from webhook.controller.device_writes import DeviceWrites
from webhook.controller.doubles import REPORT, Doubles, Policy
from webhook.controller.election import Elector, Led
from webhook.controller.node_work import NodeWork, Parts
from webhook.controller.notices import Notices
from webhook.controller.queue import Key, WorkQueue
from webhook.controller.quota_work import QuotaWork
from webhook.controller.rounds import RESYNC_SECONDS, Rounds
from webhook.controller.world import World
from webhook.controller.writing import FIELD_MANAGER, Writer
from webhook.core.errors import NotReady

THREADS: Final = 4


@dataclass(frozen=True, slots=True)
class Options:
    """What an administrator decides."""

    identity: str
    """What this process writes into the Lease; no other process may have it."""
    lease_namespace: str = ""
    lease_name: str = ""
    """Both empty when no other controller can be there."""
    threads: int = THREADS
    resync_seconds: float = RESYNC_SECONDS
    double_allocations: Policy = REPORT
    remove_unused_classes: bool = False


@dataclass(frozen=True, slots=True)
class Assembled:
    """A controller, not started yet, and what its metrics tell of."""

    controller: Controller
    counts: Counts


def assemble(
    api: Api,
    options: Options,
    report: Report,
    between: Callable[[float, float], float] = random.uniform,
) -> Assembled:
    """Return a controller over an API server."""
    queue = WorkQueue(between=between)
    queue.shut()  # who does not lead has nothing to do
    known, watches, counts = World(queue), WatchGroup(time.monotonic, between), Counts()
    _watch(api, known, watches)

    def may_write() -> None:
        elector.check()
        stale = watches.stale()
        if stale:
            raise NotReady(f"not in step with the API server: {', '.join(stale)}")

    writer = Writer(api, may_write)
    notices = Notices(ObjectEvents(api, FIELD_MANAGER))
    makers = ClassMaker(known, writer, remove_unused=options.remove_unused_classes)
    doubles = Doubles(Pods(api), writer, notices, options.double_allocations)
    parts = Parts(writer, makers, DeviceWrites(known, writer), doubles, counts, notices)
    nodes = NodeWork(known, queue, parts)
    again = Rounds(known, queue, nodes.count, options.resync_seconds)

    elector = _elector(api, options, queue, nodes, watches)
    works: dict[str, Work] = {
        world.NODE: nodes,
        world.CLASSES: makers,
        world.CLASS_STATUS: ClassStatus(known, writer, counts),
        world.QUOTA: QuotaWork(known, writer, notices),
        world.SWEEP: again.sweep,
        rounds.BEGIN: again.begin,
        rounds.RESYNC: again.resync,
    }
    return Assembled(Controller(watches, queue, elector, works, report, options.threads), counts)


def _elector(api: Api, options: Options, queue: WorkQueue, nodes: NodeWork, watches: WatchGroup) -> Elector:
    def started() -> None:
        queue.open()
        queue.add(Key(rounds.BEGIN))

    def stopped() -> None:
        queue.shut()
        nodes.forget()

    leases = Leases(api, options.lease_namespace, options.lease_name) if options.lease_name else NoLease()
    led = Led(started, stopped, may_lead=lambda: not watches.not_ready())
    return Elector(leases, options.identity, led)


def _watch(api: Api, known: World, watches: WatchGroup) -> None:
    timing = watches.timing
    watches.add(
        Watch(api, kept.NODES, known.nodes, timing),
        Watch(api, kept.DEVICES, known.devices, timing),
        Watch(api, kept.CLASSES, known.classes, timing),
        Watch(api, DEVICE_PODS, known.pods, timing),
        Watch(api, kept.NAMESPACES, known.namespaces, timing),
        Watch(api, kept.QUOTAS, known.quotas, timing),
    )
