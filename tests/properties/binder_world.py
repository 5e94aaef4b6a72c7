"""A cluster with binders that start, die and take over, for the state machine of binder_steps.py.

Time passes only between steps. A process sees the pods through a watch that may lag behind as far as it
likes, and a Binding that was sent arrives within the time that the client gives it, or never.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.unit.binder.worlds import CLASSES, MIB, Clock, FakeApi, device
from webhook.binder.binding import BIND_SECONDS, Binder
from webhook.binder.books import Books
from webhook.binder.fence import Fence
from webhook.binder.notices import Notices
from webhook.binder.settling import Settler
from webhook.core.errors import ClusterUnavailable
from webhook.core.placement.pod_entry import PodEntry, entry_of, keep_pod
from webhook.core.values.classes import Classes

Json = dict[str, Any]

DEVICES = {
    "node-a": [device("node-a", "A0"), device("node-a", "A1", "Tesla P100"), device("node-a", "A2")],
    "node-b": [device("node-b", "B0")],
}
LEASE_SECONDS = 15


class Killed(BaseException):
    """The process ended in the middle of a call."""


@dataclass
class Sent:
    """A Binding on its way."""

    namespace: str
    name: str
    binding: Json
    until: float


@dataclass
class Server(FakeApi):
    """The API server, with every change that a watch would bring, and what happens to the next Binding."""

    clock: Clock = field(default_factory=Clock)
    changes: list[tuple[str, Json]] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    fate: str = "ok"

    def create(self, obj: Json) -> Json:
        self.changes.append(("put", obj))
        return super().create(obj)

    def remove(self, name: str) -> None:
        obj = self.pods.pop(("team-a", name))
        self.changes.append(("remove", obj))

    def bind(self, namespace: str, name: str, binding: Json, seconds: float) -> None:
        fate, self.fate = self.fate, "ok"
        if fate == "ok":
            return self.carry_out(namespace, name, binding)
        if fate == "answer lost":
            self.carry_out(namespace, name, binding)
        if fate in ("late", "killed"):
            self.sent.append(Sent(namespace, name, binding, self.clock.now + BIND_SECONDS))
        if fate == "killed":
            raise Killed
        raise ClusterUnavailable(f"no answer: {fate}")

    def pass_time(self, seconds: float) -> None:
        """Let time pass. What is on its way arrives by another rule before its time is over, or never."""
        self.clock.now += seconds
        self.sent = [item for item in self.sent if item.until > self.clock.now]

    def arrive(self) -> None:
        """Carry out the oldest Binding that is on its way."""
        if self.sent:
            item = self.sent.pop(0)
            try:
                self.carry_out(item.namespace, item.name, item.binding)
            except ClusterUnavailable:
                return  # nobody is left to hear the refusal

    def over_committed(self) -> list[str]:
        """Return the devices that the records of unfinished pods claim beyond what they can serve."""
        claims: dict[str, list[int | None]] = defaultdict(list)
        for obj in self.pods.values():
            entry = entry_of(obj)
            for use in entry.uses if entry else ():
                claims[use.device].append(use.memory_bytes)
        return [name for name, taken in claims.items() if not _fits(taken)]


def _fits(taken: list[int | None]) -> bool:
    if None in taken:
        return len(taken) == 1
    return sum(amount or 0 for amount in taken) <= 11441 * MIB


class Process:
    """One binder with its own books, watch and fence."""

    def __init__(self, server: Server, host: str) -> None:
        self.server = server
        self.host = host
        self.seen = 0
        self.synced = False
        self._ordered = self._listed = 0
        self._begun: tuple[int, list[Json], int] | None = None
        self.books = Books(server.clock)
        self.fence = Fence(self, host, clock=server.clock, wall=server.clock)
        self.binder = Binder(self.books, server, self.fence, self._wait)
        notices = Notices(self.books, server, server.clock)
        self.settler = Settler(self.books, server, self.fence, notices, server.clock)
        self.books.set_classes(Classes.of(CLASSES))
        for name, devices in DEVICES.items():
            self.books.put_node(name)
            for item in devices:
                self.books.put_device(item.name, item)

    def _wait(self, seconds: float) -> None:
        """While a bind waits, what is on its way arrives."""
        self.server.clock.wait(seconds)
        self.server.arrive()

    def relist(self) -> int:
        self._ordered += 1
        return self._ordered

    def has_listed(self, number: int) -> bool:
        return self._listed >= number

    @property
    def has_ordered_a_list(self) -> bool:
        return self._ordered > self._listed

    def begin_list(self) -> None:
        """Begin to list the pods: what changes until the list has come is not in it."""
        self._begun = len(self.server.changes), list(self.server.pods.values()), self._ordered

    def list(self) -> None:
        """Take in the list that has begun, or one of now: everything up to its beginning has been seen."""
        if self._begun is None:
            self.begin_list()
        assert self._begun is not None
        self.seen, pods, self._listed = self._begun
        self._begun, self.synced = None, True
        entries = [keep_pod(obj) for obj in pods]
        self.books.replace_pods({entry.uid: entry for entry in entries if entry is not None})

    def watch(self, most: int | None = None) -> None:
        """See some of the changes that came after those seen."""
        new = self.server.changes[self.seen :][:most]
        self.seen += len(new)
        for kind, obj in new:
            self._apply(kind, keep_pod(obj), obj["metadata"]["uid"])

    def _apply(self, kind: str, entry: PodEntry | None, uid: str) -> None:
        if kind == "remove" or entry is None:
            self.books.remove_pod(uid)
        else:
            self.books.put_pod(entry)

    def may_answer(self) -> bool:
        if not self.synced:
            return False
        try:
            self.fence.check()
        except Exception:  # noqa: BLE001 - any reason will do
            return False
        return True


def lease(holder: str, term: int, renewed: float) -> Json:
    """Return the Lease of a scheduler."""
    when = datetime.fromtimestamp(renewed, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "spec": {
            "holderIdentity": f"{holder}_{term}",
            "leaseDurationSeconds": LEASE_SECONDS,
            "leaseTransitions": term,
            "acquireTime": f"term-{term}",
            "renewTime": when,
        }
    }
