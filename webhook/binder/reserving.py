"""The decisions of a bind: which devices a pod gets, and what became of an attempt."""

from dataclasses import dataclass, replace
from enum import Enum, auto

from webhook.binder.books import Books
from webhook.binder.reservation import Reservation, Stage
from webhook.core.placement.place import place
from webhook.core.placement.pod_entry import PodEntry, entry_of
from webhook.core.placement.reasons import Refusal
from webhook.core.placement.requests import pod_requests
from webhook.core.placement.uses import uses_of
from webhook.core.raw import as_text, at
from webhook.core.values.demand import demand
from webhook.core.values.names import RECORD_ANNOTATION, Json
from webhook.core.values.record import derived_annotations, write_record
from webhook.wire.extender import BindQuestion


class BindRefused(Exception):
    """The pod cannot be bound like this. `result` is the word for the metric."""

    def __init__(self, result: str, message: str) -> None:
        super().__init__(message)
        self.result = result


class UnknownPod(Exception):
    """The watch has not shown the pod yet."""


@dataclass(frozen=True, slots=True)
class AlreadyBound:
    """The pod is bound to the node that was asked for."""


def reserve(books: Books, asked: BindQuestion) -> Reservation | AlreadyBound:
    """Choose the devices of a pod and hold them. Raises BindRefused or UnknownPod."""
    with books.lock:
        entry = books.pods.get(asked.uid)
        if entry is None:
            raise UnknownPod
        if entry.node:
            return _bound(entry, asked)
        held = books.reserved.get(asked.uid)
        if held is not None:
            return _tried(held, asked)
        if asked.node not in books.nodes:
            raise BindRefused("no_node", f"node {asked.node} does not exist")
        reservation = _chosen(books, entry, asked.node)
        books.reserve(reservation)
        return reservation


def _bound(entry: PodEntry, asked: BindQuestion) -> AlreadyBound:
    if entry.node != asked.node:
        raise BindRefused("bound_elsewhere", f"pod {entry.title} is bound to {entry.node} already")
    return AlreadyBound()


def _tried(held: Reservation, asked: BindQuestion) -> AlreadyBound:
    """Say what is known of an attempt that was made before.

    One that is not decided is never sent again, not even with the same devices: after a hand-over and back,
    another binder may have given them away. Who waits for it, or settling.py, finds out what became of it.
    """
    if held.stage is Stage.DONE and held.node == asked.node:
        return AlreadyBound()
    title = f"pod {held.namespace}/{held.name}"
    raise BindRefused("undecided", f"an earlier attempt to bind {title} to {held.node} is not decided yet")


def _chosen(books: Books, entry: PodEntry, node_name: str) -> Reservation:
    asked = demand(entry.spec)
    reservation = Reservation(entry.uid, entry.namespace, entry.name, node_name, since=books.clock())
    if not asked:
        return reservation
    node = books.node(node_name)
    found = place(pod_requests(asked, books.classes), node)
    if isinstance(found, Refusal):
        raise BindRefused(
            "no_device", f"node {node_name} can no longer serve pod {entry.title}: {found.text}"
        )
    record = found.record(node)
    annotations = {RECORD_ANNOTATION: write_record(record), **derived_annotations(record, books.classes)}
    return Reservation(
        uid=entry.uid,
        namespace=entry.namespace,
        name=entry.name,
        node=node_name,
        uses=uses_of(record, entry.spec),
        annotations=annotations,
        since=books.clock(),
    )


def binding_of(reservation: Reservation) -> Json:
    """Return the Binding that makes a reservation true, in one write."""
    metadata = {
        "namespace": reservation.namespace,
        "name": reservation.name,
        "uid": reservation.uid,  # of another pod of this name the API server says 409
        "annotations": dict(reservation.annotations),
    }
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": metadata,
        "target": {"apiVersion": "v1", "kind": "Node", "name": reservation.node},
    }


def set_stage(books: Books, reservation: Reservation, stage: Stage) -> None:
    """Note how far a bind has come; nothing happens if the watch was faster."""
    with books.lock:
        held = books.reserved.get(reservation.uid)
        if held is not None:
            books.reserve(replace(held, stage=stage, since=reservation.since))


def release(books: Books, uid: str) -> None:
    """Give up what was reserved for a pod."""
    with books.lock:
        books.release(uid)


class Seen(Enum):
    """What a look at a pod says of an attempt to bind it."""

    BOUND = auto()
    ELSEWHERE = auto()
    OPEN = auto()
    GONE = auto()


def look(books: Books, reservation: Reservation, pod: Json | None) -> Seen:
    """Take in a pod that was read afresh, and say what became of the attempt.

    Nothing is given up here but what another record has replaced, and all that a pod held which is gone.
    """
    is_same = pod is not None and as_text(at(pod, "metadata").get("uid")) == reservation.uid
    entry = entry_of(pod) if pod is not None and is_same else None
    if entry is None:
        books.remove_pod(reservation.uid)
        return Seen.GONE
    books.learn_pod(entry)
    if not entry.node:
        return Seen.OPEN
    return Seen.BOUND if entry.node == reservation.node else Seen.ELSEWHERE
