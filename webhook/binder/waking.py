"""Pods that wait, and that the scheduler must be told to look at again.

kube-scheduler tries a pod that the binder refused only after some event of the cluster, and it watches other
things than the binder does. It may see that a pod is gone before the binder does, ask at once, and hear that
the device is still in use; and of a device that is mended, or given up after a bind that failed, it hears
nothing at all. Without another event the pod would wait for five minutes.

So refused pods are remembered, and so is each node that changed. A pod that was refused before a change, was
not asked about since, and fits the node now gets a line in its status: an update of the pod itself makes
kube-scheduler try it again (Update in pkg/scheduler/backend/queue/scheduling_queue.go).
"""

import logging
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from webhook.binder.books import Books
from webhook.binder.ports import PodPort
from webhook.binder.waiting import Waiting
from webhook.core.errors import ClusterUnavailable
from webhook.core.placement.node import Node
from webhook.core.placement.place import fits
from webhook.serve.logging import Repeated

# The scheduler's own way is faster than this when it works.
GRACE_SECONDS: Final = 0.5
# Of many pods for one device the first that is tried takes it, and then the node fits no other.
MOST_PER_STEP: Final = 10
WRITE_SECONDS: Final = 2.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Change:
    node: str
    at: float


class Waker:
    """Tells the scheduler of pods that may fit now."""

    def __init__(self, books: Books, pods: PodPort) -> None:
        self._books = books
        self._pods = pods
        self._failures = Repeated(_log)

    def step(self) -> None:
        """Look at the nodes that changed a moment ago, and wake who was missed."""
        for pod in self._missed():
            try:
                self._pods.wake(pod.namespace, pod.name, pod.uid, WRITE_SECONDS)
            except ClusterUnavailable as error:
                self._failures.warn("a pod that waits could not be offered to the scheduler again", error)

    def _missed(self) -> list[Waiting]:
        """Return the pods to be woken; each is forgotten until the scheduler asks about it again."""
        found: dict[str, Waiting] = {}  # by uid: a pod may fit several of the nodes that changed
        with self._books.lock:
            for change in self._due():
                found.update((pod.uid, pod) for pod in self._missed_by(change))
                if len(found) >= MOST_PER_STEP:
                    break
                del self._books.changed[change.node]
            missed = list(found.values())[:MOST_PER_STEP]
            for pod in missed:
                del self._books.waiting[pod.uid]
        return missed

    def _due(self) -> list[_Change]:
        if not self._books.waiting:
            self._books.changed.clear()
        until = self._books.clock() - GRACE_SECONDS
        return [_Change(node, at) for node, at in self._books.changed.items() if at <= until]

    def _missed_by(self, change: _Change) -> list[Waiting]:
        node = self._books.node(change.node)
        known: dict[Hashable, bool] = {}
        return [
            pod
            for pod in self._books.waiting.values()
            if pod.since <= change.at and self._may_fit(pod, node, known)
        ]

    def _may_fit(self, pod: Waiting, node: Node, known: dict[Hashable, bool]) -> bool:
        """Whether it is worth asking. By other classes than those of now, nobody can say without asking."""
        if pod.classes is not self._books.classes:
            return True
        shape = pod.requests.shape
        if shape not in known:
            known[shape] = fits(pod.requests, node) is None
        return known[shape]
