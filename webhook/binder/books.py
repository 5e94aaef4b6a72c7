"""The books: devices, pods, classes and nodes as the watches bring them, and what this process has reserved.

One lock guards everything; what is asked under it is arithmetic. Work grows with what changed: a change drops
what was worked out for its node, and nothing else. Who has much to work out leaves the lock now and then, as
filtering.py does.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from webhook.binder.node_book import NodeBook
from webhook.binder.reservation import Reservation, Stage
from webhook.binder.verdicts import Verdicts
from webhook.binder.waiting import MOST_WAITING, Waiting
from webhook.core.placement.alike import state_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.node import Node
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import ExtendedResource


class Books:
    """State only; the rules that ask it are in filtering.py, preempting.py and reserving.py.

    Whoever calls a method that says so holds `lock`; the others take it themselves.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self.lock = Lock()
        self.clock = clock
        self.cpu_clock = cpu_clock  # of the thread that asks: on a busy machine a slice must come as far
        self.classes = Classes()
        self.membership = Membership(self.classes)
        self.sizes: Counter[str] = Counter()  # devices per class in the cluster
        self.verdicts = Verdicts()
        self.states: dict[str, int] = {}  # by node: the number of its state, where it is worked out
        self.conflicts: dict[
            str, tuple[str, ...]
        ] = {}  # of these, the devices that more pods hold than they bear
        self.nodes: set[str] = set()
        self.pods: dict[str, PodEntry] = {}  # by uid
        self.reserved: dict[str, Reservation] = {}  # by the uid of the pod
        self.books: dict[str, NodeBook] = {}  # by node: those of which anything but the name is known
        self.unconfirmed: set[str] = set()  # uids of pods that were read, and not shown by the watch since
        self.waiting: dict[str, Waiting] = {}  # by uid: the pods that no node could serve
        self.changed: dict[str, float] = {}  # by node: when, until the pods that wait were looked at
        self._devices: dict[str, ExtendedResource] = {}  # by the name of the object

    # What the watches bring.

    def set_classes(self, classes: Classes) -> None:
        """Take other classes: every device may belong to others now."""
        with self.lock:
            self.classes, self.membership = classes, Membership(classes)
            self.sizes = Counter(
                name for device in self._devices.values() for name in self.membership.of(device.properties)
            )
            self.verdicts.clear()
            self.states.clear()
            self.conflicts.clear()
            for book in self.books.values():
                book.devices_changed()
                self.changed[book.name] = self.clock()

    def replace_nodes(self, names: Iterable[str]) -> None:
        """Take the names of all nodes."""
        with self.lock:
            self.nodes = set(names)

    def put_node(self, name: str) -> None:
        """Take in a node."""
        with self.lock:
            self.nodes.add(name)

    def remove_node(self, name: str) -> None:
        """Forget a node; what is known of its devices stays until they go themselves."""
        with self.lock:
            self.nodes.discard(name)

    def replace_devices(self, devices: Mapping[str, ExtendedResource]) -> None:
        """Take all devices, by the names of their objects."""
        with self.lock:
            for name in self._devices.keys() - devices.keys():
                self._drop_device(name)
            for name, device in devices.items():
                self._put_device(name, device)

    def put_device(self, name: str, device: ExtendedResource) -> None:
        """Take in a device, new or changed."""
        with self.lock:
            self._put_device(name, device)

    def remove_device(self, name: str) -> None:
        """Forget a device."""
        with self.lock:
            self._drop_device(name)

    def replace_pods(self, entries: Mapping[str, PodEntry]) -> None:
        """Take all unfinished pods, by uid.

        The list may have begun before a pod was made and bound here: what is known of it from elsewhere than
        the watch stays until the watch, or a look at the pod, has the last word.
        """
        with self.lock:
            for uid in self.pods.keys() - entries.keys():
                self._miss_pod(uid)
            self.unconfirmed -= entries.keys()
            for entry in entries.values():
                self._put_pod(entry)

    def put_pod(self, entry: PodEntry) -> None:
        """Take in a pod, new or changed, as the watch shows it."""
        with self.lock:
            self.unconfirmed.discard(entry.uid)
            self._put_pod(entry)

    def learn_pod(self, entry: PodEntry) -> None:
        """Take in a pod that was read beside the watch."""
        with self.lock:
            self.unconfirmed.add(entry.uid)
            self._put_pod(entry)

    def remove_pod(self, uid: str) -> None:
        """Forget a pod that is gone or finished, and what it held."""
        with self.lock:
            self._drop_pod(uid)

    # For those who hold the lock.

    def book(self, name: str) -> NodeBook:
        """Return the book of a node, an empty one where nothing is known. With the lock held."""
        return self.books.get(name) or NodeBook(name)

    def node(self, name: str) -> Node:
        """Return a node with what its pods take. With the lock held."""
        return self.book(name).node(self.membership, self.sizes)

    def state(self, name: str) -> int:
        """Return the number of a node's state, under which verdicts are kept. With the lock held."""
        found = self.states.get(name)
        if found is None:
            node = self.node(name)
            found = self.verdicts.number(state_of(node))
            if name in self.books:  # of a name that means nothing, nothing is kept
                self.states[name] = found
                if node.conflicts:
                    self.conflicts[name] = node.conflicts
        return found

    def not_worked_out(self) -> list[str]:
        """Return the nodes that have changed since their state was asked for. With the lock held."""
        return list(self.books.keys() - self.states.keys())

    def reserve(self, reservation: Reservation) -> None:
        """Hold devices for a pod. With the lock held."""
        known = self.reserved.get(reservation.uid)
        if known is not None and known.node != reservation.node:
            raise ValueError(f"pod {reservation.uid} is reserved on {known.node}")
        self.reserved[reservation.uid] = reservation
        book = self._own_book(reservation.node)
        book.reserved[reservation.uid] = reservation
        self._pods_changed(book)

    def wait(self, pod: Waiting) -> None:
        """Remember a pod that was refused everywhere. With the lock held."""
        self.waiting.pop(pod.uid, None)
        self.waiting[pod.uid] = pod
        if len(self.waiting) > MOST_WAITING:
            del self.waiting[next(iter(self.waiting))]

    def release(self, uid: str) -> None:
        """Give up what was reserved for a pod. With the lock held."""
        reservation = self.reserved.pop(uid, None)
        if reservation is None:
            return
        book = self._own_book(reservation.node)
        del book.reserved[uid]
        self._pods_changed(book)

    def _put_device(self, name: str, device: ExtendedResource) -> None:
        known = self._devices.get(name)
        if known == device:
            return
        if known is not None:
            self._drop_device(name)
        self._devices[name] = device
        self.sizes.update(self.membership.of(device.properties))
        book = self._own_book(device.node)
        book.devices[name] = device
        self._devices_changed(book)

    def _drop_device(self, name: str) -> None:
        device = self._devices.pop(name, None)
        if device is None:
            return
        self.sizes.subtract(self.membership.of(device.properties))
        book = self._own_book(device.node)
        del book.devices[name]
        self._devices_changed(book)

    def _put_pod(self, entry: PodEntry) -> None:
        known = self.pods.get(entry.uid)
        if known is not None and known.node and not entry.node:
            return  # a node is never taken from a pod: this is news from before
        if known != entry:
            if known is not None and known.node:
                self._leave_book(known)
            self.pods[entry.uid] = entry
            if entry.node:
                self.waiting.pop(entry.uid, None)
                book = self._own_book(entry.node)
                book.pods[entry.uid] = entry
                self._pods_changed(book)
        reservation = self.reserved.get(entry.uid)
        if reservation is not None and reservation.node == entry.node:
            self.release(entry.uid)

    def _miss_pod(self, uid: str) -> None:
        """Forget a pod that a list does not show, unless it may be younger than the list."""
        if uid in self.reserved:
            return
        known = self.pods[uid]
        if uid not in self.unconfirmed or not known.node:
            self._drop_pod(uid)
            return
        # Somebody has to find out: settling.py looks at what is reserved and not seen.
        held = Reservation(
            uid, known.namespace, known.name, known.node, known.uses, since=self.clock(), stage=Stage.DONE
        )
        self.reserve(held)

    def _drop_pod(self, uid: str) -> None:
        self.unconfirmed.discard(uid)
        known = self.pods.pop(uid, None)
        self.waiting.pop(uid, None)
        if known is not None and known.node:
            self._leave_book(known)
        reservation = self.reserved.get(uid)
        # Of a Binding that is on its way its own thread hears what became of it.
        if reservation is not None and reservation.stage is not Stage.ASKED:
            self.release(uid)

    def _leave_book(self, entry: PodEntry) -> None:
        book = self._own_book(entry.node)
        book.pods.pop(entry.uid, None)
        self._pods_changed(book)

    def _own_book(self, name: str) -> NodeBook:
        return self.books.setdefault(name, NodeBook(name))

    def _pods_changed(self, book: NodeBook) -> None:
        book.pods_changed()
        self._changed(book)

    def _devices_changed(self, book: NodeBook) -> None:
        book.devices_changed()
        self.verdicts.forget_scores()
        self._changed(book)

    def _changed(self, book: NodeBook) -> None:
        self.states.pop(book.name, None)
        self.conflicts.pop(book.name, None)
        self.changed[book.name] = self.clock()
        if book.is_empty:
            self.books.pop(book.name, None)
