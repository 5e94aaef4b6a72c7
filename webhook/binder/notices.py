"""What only a person can mend, told in an Event on the pod: damaged records, and devices held twice."""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from webhook.binder.books import Books
from webhook.binder.ports import EventPort
from webhook.core.errors import ClusterUnavailable
from webhook.core.inventory.device_status import HELD_TWICE
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.text import list_of, shorten
from webhook.core.values.names import RECORD_ANNOTATION, Json
from webhook.core.values.record import DamagedRecord
from webhook.serve.logging import Repeated, event

DAMAGED: Final = "DamagedDeviceRecord"

STEP_SECONDS: Final = 10.0
# An API server forgets an Event after an hour.
AGAIN_SECONDS: Final = 3600.0
# Events that one step writes at most: a spoilt cluster must not be flooded as well.
MOST_PER_STEP: Final = 20
MESSAGE_LENGTH: Final = 1024
# Whose state is worked out while the lock is held: 5 ms.
NODES_AT_ONCE: Final = 100

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong about one pod."""

    entry: PodEntry
    reason: str
    message: str


def complaints(books: Books) -> list[Complaint]:
    """Return what only a person can mend."""
    _work_out(books)
    with books.lock:
        damaged = [_damaged(entry) for entry in books.pods.values() if entry.problems]
        return damaged + list(_held_twice(books))


def _damaged(entry: PodEntry) -> Complaint:
    devices = entry.record.devices if isinstance(entry.record, DamagedRecord) else ()
    held = (
        f"{list_of(devices)} on {entry.node} count as taken"
        if devices
        else f"node {entry.node} takes no pod with devices"
    )
    problems = "; ".join(entry.problems)
    message = f"{held} until the annotation {RECORD_ANNOTATION} is mended or the pod is gone: {problems}"
    return Complaint(entry, DAMAGED, shorten(message, MESSAGE_LENGTH))


def _held_twice(books: Books) -> Iterator[Complaint]:
    for name in books.not_worked_out():
        books.state(name)
    for name, conflicts in books.conflicts.items():
        for entry in books.books[name].pods.values():
            own = sorted(set(conflicts).intersection(use.device for use in entry.uses))
            if own:
                message = (
                    f"{list_of(own)} on {name} is held by more pods than it can serve; delete all but one"
                )
                yield Complaint(entry, HELD_TWICE, shorten(message, MESSAGE_LENGTH))


def double_allocations(books: Books) -> int:
    """Return how many devices more pods hold than they can bear."""
    _work_out(books)
    with books.lock:
        return sum(map(len, books.conflicts.values()))


def _work_out(books: Books) -> None:
    """Work out the state of all nodes, some at a time: after a change of the classes it is thousands."""
    with books.lock:
        names = iter(books.not_worked_out())
    while some := list(islice(names, NODES_AT_ONCE)):
        with books.lock:
            for name in some:
                books.state(name)


class Notices:
    """Tells each complaint once an hour."""

    def __init__(self, books: Books, events: EventPort, clock: Callable[[], float] = time.monotonic) -> None:
        self._books = books
        self._events = events
        self._clock = clock
        self._told: dict[tuple[str, str, str], float] = {}
        self._next = 0.0
        self._failures = Repeated(_log)

    def step(self) -> None:
        """Tell what is due, at most every STEP_SECONDS."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + STEP_SECONDS
        self._told = {key: at for key, at in self._told.items() if at > now - AGAIN_SECONDS}
        new = [item for item in complaints(self._books) if _key(item) not in self._told]
        for item in new[:MOST_PER_STEP]:
            self._tell(item, now)

    def _tell(self, item: Complaint, now: float) -> None:
        fields = {"pod": item.entry.title, "reason": item.reason, "error": item.message}
        try:
            self._events.tell(_pod_of(item.entry), item.reason, item.message)
        except ClusterUnavailable as error:
            self._failures.warn("an event could not be written", error)
            return
        event(_log, logging.ERROR, "a person must mend this", **fields)
        self._told[_key(item)] = now


def _key(item: Complaint) -> tuple[str, str, str]:
    return item.entry.uid, item.reason, item.message


def _pod_of(entry: PodEntry) -> Json:
    return {"metadata": {"namespace": entry.namespace, "name": entry.name, "uid": entry.uid}}
