"""Threads that filter, bind, fail, delete and settle over one set of books: no device is given twice.

The state machine of binder_steps.py takes one step at a time; here real threads mix theirs as they like.
Played by test_binder_threads.py, and with many seeds by bench/soak_binder.py.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, RLock, Thread, Timer
from typing import Any

from tests.properties.binder_world import DEVICES, Server
from tests.unit.binder.worlds import CLASSES, Gate, container, pod
from webhook.binder.binding import BIND_SECONDS, Binder
from webhook.binder.books import Books
from webhook.binder.filtering import Undecided, filter_nodes, prioritize_nodes
from webhook.binder.notices import complaints, double_allocations
from webhook.binder.preempting import preempt
from webhook.binder.reserving import BindRefused
from webhook.binder.settling import Settler, Together
from webhook.cluster.api import ApiError
from webhook.core.errors import ClusterUnavailable
from webhook.core.placement.pod_entry import keep_pod
from webhook.core.values.classes import Classes
from webhook.wire.extender import BindQuestion, Victims

Json = dict[str, Any]

FASTER = 20.0  # how much faster than real time the clock of this world runs
RUN_SECONDS = 1.5
SETTLED_SECONDS = 20.0
BINDERS = 5
WAITING = 8  # pods without a node that there should be
FATES = ["ok"] * 6 + ["answer lost", "late", "late", "never arrives", "refused", "unreadable"]
ASKS = [{"k80": 1}, {"k80": 2}, {"any": 1}, {"p100": 1}, {"k80_2g": 2}, {"k80_2g": 3}]
NODES = tuple(DEVICES)


def now() -> float:
    return time.monotonic() * FASTER


def wait(seconds: float) -> None:
    time.sleep(seconds / FASTER)


class SharedServer(Server):
    """An API server for many threads, which takes its time, fails by chance, and sees every moment."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.lock = RLock()
        self.chance = chance
        self.violations: list[list[str]] = []
        self.bindings = 0
        self.calm = Event()

    def create(self, obj: Json) -> Json:
        with self.lock:
            made = super().create(obj)
            if taken_twice := self.over_committed():
                self.violations.append(taken_twice)
            return made

    def remove(self, name: str) -> None:
        with self.lock:
            if ("team-a", name) in self.pods:
                super().remove(name)

    def names(self, *, bound: bool) -> list[Json]:
        with self.lock:
            return [obj for obj in self.pods.values() if bool(obj["spec"].get("nodeName")) is bound]

    def read(self, namespace: str, name: str, seconds: float) -> Json | None:
        wait(self.chance.uniform(0, 0.05))
        if not self.calm.is_set() and self.chance.random() < 0.2:
            raise ClusterUnavailable("read timed out")
        with self.lock:
            return super().read(namespace, name, seconds)

    def bind(self, namespace: str, name: str, binding: Json, seconds: float) -> None:
        fate, until = self.chance.choice(FATES), now() + BIND_SECONDS
        wait(self.chance.uniform(0, 0.1))
        if fate == "refused":
            raise ApiError("no", 422)
        if fate in ("ok", "answer lost", "unreadable"):
            self.carry_out_before(until, namespace, name, binding)
        if fate == "late":
            when = self.chance.uniform(0, BIND_SECONDS) / FASTER
            Timer(when, self._arrive, (until, namespace, name, binding)).start()
        if fate != "ok":
            raise ClusterUnavailable(f"no answer: {fate}")

    def carry_out_before(self, until: float, namespace: str, name: str, binding: Json) -> None:
        """A server gives up with its caller's connection: after its deadline nothing is written."""
        with self.lock:
            if now() > until:
                raise ClusterUnavailable("too late")
            self.carry_out(namespace, name, binding)
            self.bindings += 1

    def _arrive(self, until: float, namespace: str, name: str, binding: Json) -> None:
        try:
            self.carry_out_before(until, namespace, name, binding)
        except ClusterUnavailable:
            return  # nobody is left to hear the refusal


class Machine:
    """One binder under load from many sides."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.server = SharedServer(self.chance)
        self.books = Books(now)
        self.binder = Binder(self.books, self.server, Gate(), wait)
        self.settler = Settler(self.books, self.server, Gate(), Together(), now)
        self.faults: list[BaseException] = []
        self.numbers = iter(range(10**6))
        self.seen = 0
        self.stopping, self.watch_ends = Event(), Event()
        fill(self.books)

    def run(self) -> None:
        steps = [self.schedule] * BINDERS + [self.come_and_go, self.settler.step, self.look_around]
        busy = [
            Thread(target=self._repeat, args=(step, self.stopping)) for step in (*steps, self.devices_flap)
        ]
        watch = Thread(target=self._repeat, args=(self.watch, self.watch_ends))
        for thread in (*busy, watch):
            thread.start()
        time.sleep(RUN_SECONDS)
        self.stopping.set()
        for thread in busy:
            thread.join()
        self.server.calm.set()
        self.watch_ends.set()
        watch.join()
        wait(BIND_SECONDS)  # what is late arrives
        self.watch()
        self._settle()

    def _repeat(self, step: Callable[[], None], until: Event) -> None:
        try:
            while not until.is_set():
                step()
                time.sleep(0)
        except BaseException as error:  # noqa: BLE001 - shown by the test
            self.faults.append(error)

    def _settle(self) -> None:
        deadline = time.monotonic() + SETTLED_SECONDS
        while self.books.reserved and time.monotonic() < deadline:
            self.settler.step()
            wait(0.2)

    def schedule(self) -> None:
        waiting = self.server.names(bound=False)
        if not waiting:
            return
        obj = self.chance.choice(waiting)
        try:
            passing = filter_nodes(self.books, obj, NODES).passing
            if passing:
                node = max(prioritize_nodes(self.books, obj, passing).items(), key=lambda item: item[1])[0]
                metadata = obj["metadata"]
                self.binder.bind(BindQuestion("team-a", metadata["name"], metadata["uid"], node))
        except (BindRefused, ClusterUnavailable, Undecided):
            return

    def come_and_go(self) -> None:
        for _ in range(WAITING - len(self.server.names(bound=False))):
            self.server.create(self._new(f"p{next(self.numbers)}"))
        everyone = self.server.names(bound=True)
        if everyone and self.chance.random() < 0.5:
            name = self.chance.choice(everyone)["metadata"]["name"]
            self.server.remove(name)
            if self.chance.random() < 0.3:
                self.server.create(self._new(name))
        wait(0.05)

    def _new(self, name: str) -> Json:
        ask = self.chance.choice(ASKS)
        return pod(
            name, container(**ask), uid=f"uid-{next(self.numbers)}", priority=self.chance.randint(0, 2)
        )

    def devices_flap(self) -> None:
        node = self.chance.choice(NODES)
        device = self.chance.choice(DEVICES[node])
        self.books.remove_device(device.name)
        wait(0.05)
        self.books.put_device(device.name, device)
        if self.chance.random() < 0.2:
            self.books.set_classes(Classes.of(CLASSES))
        wait(0.2)

    def look_around(self) -> None:
        complaints(self.books)
        double_allocations(self.books)  # a list that shows a pod which is gone may make one for a moment
        proposal = Victims(tuple(obj["metadata"]["uid"] for obj in self.server.names(bound=True)[:1]))
        preempt(self.books, pod("high", container(k80=1), priority=9), dict.fromkeys(NODES, proposal))
        wait(0.1)

    def watch(self) -> None:
        """Brings what came after what was seen, late by a moment; now and then a list, as after a 410."""
        with self.server.lock:
            new, pods = self.server.changes[self.seen :], list(self.server.pods.values())
        self.seen += len(new)
        wait(self.chance.uniform(0, 0.05))
        if not self.server.calm.is_set() and self.chance.random() < 0.05:
            wait(self.chance.uniform(0, 2))  # a long list: what is done meanwhile is not in it
            seen = (keep_pod(obj) for obj in pods)
            self.books.replace_pods({entry.uid: entry for entry in seen if entry is not None})
            wait(self.chance.uniform(0, 1))
            return
        for kind, obj in new:
            entry = keep_pod(obj)
            if kind == "remove" or entry is None:
                self.books.remove_pod(obj["metadata"]["uid"])
            else:
                self.books.put_pod(entry)


def fill(books: Books) -> Books:
    books.set_classes(Classes.of(CLASSES))
    for name, devices in DEVICES.items():
        books.put_node(name)
        for item in devices:
            books.put_device(item.name, item)
    return books


@contextmanager
def restless() -> Iterator[None]:
    """Threads change places at every turn."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def play(seed: int) -> None:
    """Let threads do what they like; raises AssertionError if a device was given twice or stays held."""
    machine = Machine(seed)
    with restless():
        machine.run()

    assert machine.server.violations == []
    assert machine.faults == []
    assert machine.server.bindings > 5, "something was bound"
    assert machine.books.reserved == {}
    assert double_allocations(machine.books) == 0
    fresh = fill(Books(now))
    for obj in machine.server.pods.values():
        entry = keep_pod(obj)
        if entry is not None:
            fresh.put_pod(entry)
    for node in NODES:
        with machine.books.lock, fresh.lock:
            assert machine.books.node(node).room == fresh.node(node).room
