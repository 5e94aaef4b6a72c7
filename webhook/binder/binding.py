"""The verb bind: choose under the lock, write without it, and find out what came of it.

A clear no of the API server is undone at once. Where the answer was lost, or says that the server itself does
not know (5xx), the pod is read until it is bound, or DECIDE_SECONDS have passed since the Binding was sent:
what arrives later than that is given up by the server with its caller's connection. If the pod cannot be read
either, the devices stay reserved and nothing is sent again; settling.py looks until it is decided.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from webhook.binder.books import Books
from webhook.binder.ports import Guard, PodPort
from webhook.binder.reservation import Reservation, Stage
from webhook.binder.reserving import (
    AlreadyBound,
    BindRefused,
    Seen,
    UnknownPod,
    binding_of,
    look,
    release,
    reserve,
    set_stage,
)
from webhook.cluster.api import ApiError
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.core.placement.pod_entry import entry_of
from webhook.serve.logging import event
from webhook.wire.extender import BindQuestion

# A Binding takes an API server some milliseconds.
BIND_SECONDS: Final = 2.0
READ_SECONDS: Final = 0.5
# With two reads that time out, 4.75 s: within an httpTimeout of 5 s of the scheduler.
DECIDE_SECONDS: Final = 3.5
LOOK_SECONDS: Final = 0.25

# Neither says that the Binding was not written: a timeout, and a conflict with the Binding that came first.
_UNSURE: Final = frozenset({408, 409})

_log = logging.getLogger(__name__)


class Binder:
    """Binds pods. Safe for many threads."""

    def __init__(self, books: Books, pods: PodPort, guard: Guard, wait: Callable[[float], object]) -> None:
        self._books = books
        self._pods = pods
        self._guard = guard
        self._wait = wait

    def bind(self, asked: BindQuestion) -> str:
        """Bind a pod; returns the word for the metric. Raises BindRefused, NotReady or ClusterUnavailable."""
        try:
            reservation = reserve(self._books, asked)
        except UnknownPod:
            self._read(asked)
            reservation = self._reserve_known(asked)
        if isinstance(reservation, AlreadyBound):
            return "already_bound"
        return self._write(reservation)

    def _read(self, asked: BindQuestion) -> None:
        """Take in a pod that the watch has not shown yet."""
        pod = self._pods.read(asked.namespace, asked.name, READ_SECONDS)
        entry = entry_of(pod) if pod is not None else None
        if entry is None:
            raise BindRefused("gone", f"there is no unfinished pod {asked.namespace}/{asked.name}")
        if entry.uid != asked.uid:
            raise BindRefused("gone", f"pod {entry.title} is another one now, of uid {entry.uid}")
        self._books.learn_pod(entry)

    def _reserve_known(self, asked: BindQuestion) -> Reservation | AlreadyBound:
        try:
            return reserve(self._books, asked)
        except UnknownPod:
            raise BindRefused("gone", f"pod {asked.namespace}/{asked.name} is gone") from None

    def _write(self, reservation: Reservation) -> str:
        try:
            # Time has passed since the call began, perhaps much: this is the last moment to find out.
            self._guard.check()
        except NotReady:
            release(self._books, reservation.uid)
            raise
        # From here it counts: a machine may have stood still since the devices were chosen.
        reservation = replace(reservation, since=self._books.clock())
        try:
            self._pods.bind(reservation.namespace, reservation.name, binding_of(reservation), BIND_SECONDS)
        except ClusterUnavailable as error:
            return self._after(reservation, error)
        except BaseException:
            # A fault of ours: whether anything was sent is not known.
            set_stage(self._books, reservation, Stage.UNCLEAR)
            raise
        set_stage(self._books, reservation, Stage.DONE)
        return "bound"

    def _after(self, reservation: Reservation, error: ClusterUnavailable) -> str:
        status = error.status if isinstance(error, ApiError) else 0
        _report(reservation, error, status)
        if 400 <= status < 500 and status not in _UNSURE:
            release(self._books, reservation.uid)
            raise BindRefused("refused", str(error)) from error
        try:
            seen = self._decided(reservation, is_final=status == 409)
        except ClusterUnavailable as unseen:
            set_stage(self._books, reservation, Stage.UNCLEAR)
            raise BindRefused("unclear", f"{error}; {unseen}; it is looked at again") from error
        if seen is Seen.BOUND:
            set_stage(self._books, reservation, Stage.DONE)
            return "bound"
        release(self._books, reservation.uid)
        raise BindRefused("refused", f"{error} ({_SEEN[seen]})") from error

    def _decided(self, reservation: Reservation, *, is_final: bool) -> Seen:
        """Read the pod until it says what became of the attempt. Raises ClusterUnavailable."""
        until = reservation.since + DECIDE_SECONDS
        while True:
            late = self._books.clock() >= until - LOOK_SECONDS
            try:
                seen = self._look(reservation)
                if seen is not Seen.OPEN or is_final or late:
                    return seen
            except ClusterUnavailable:
                if late:
                    raise
            self._wait(LOOK_SECONDS)

    def _look(self, reservation: Reservation) -> Seen:
        pod = self._pods.read(reservation.namespace, reservation.name, READ_SECONDS)
        return look(self._books, reservation, pod)


_SEEN: Final = {
    Seen.OPEN: "the pod is not bound; its devices are free again",
    Seen.GONE: "the pod is finished, or another one has its name",
    Seen.ELSEWHERE: "the pod is bound to another node",
}


def _report(reservation: Reservation, error: ClusterUnavailable, status: int) -> None:
    pod = f"{reservation.namespace}/{reservation.name}"
    fields = {"pod": pod, "node": reservation.node, "status": status, "error": str(error)}
    event(_log, logging.ERROR if status == 403 else logging.WARNING, "a pod could not be bound", **fields)
