"""The parts of a binder put together over one API server."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from webhook.binder.alone import Alone
from webhook.binder.binding import Binder
from webhook.binder.books import Books
from webhook.binder.fence import Fence
from webhook.binder.notices import Notices
from webhook.binder.settling import Settler, Together
from webhook.binder.waking import Waker
from webhook.binder.watches import Watches
from webhook.cluster.api import Api
from webhook.cluster.pods import Pods


@dataclass(frozen=True, slots=True)
class LeaseName:
    """The Lease to follow, and what its holder begins with while it is the scheduler beside."""

    namespace: str
    name: str
    holder: str


@dataclass(frozen=True, slots=True)
class Parts:
    """One binder. Start it after a fork."""

    books: Books
    watches: Watches
    fence: Fence
    binder: Binder
    settler: Settler
    alone: Alone

    def start(self) -> None:
        """Begin to watch and to settle; returns at once."""
        self.watches.start()
        self.settler.start()

    def close(self) -> None:
        """Stop, and let another process begin."""
        self.settler.close()
        self.watches.close()
        self.alone.close()

    def not_synced(self) -> list[str]:
        """Return what has not been listed yet."""
        return list(self.watches.not_ready())


def assemble(api: Api, lease: LeaseName | None, wait: Callable[[float], object] = time.sleep) -> Parts:
    """Return a binder over an API server, not started yet."""
    books, alone = Books(), Alone()
    watches = Watches(api, books)
    fence = Fence(watches, lease.holder if lease else "", is_alone=alone)
    if lease:
        watches.follow_lease(lease.namespace, lease.name, fence.saw)
    pods = Pods(api)
    binder = Binder(books, pods, fence, wait)
    beside = Together(Waker(books, pods), Notices(books, pods))
    settler = Settler(books, pods, fence, beside)
    return Parts(books, watches, fence, binder, settler, alone)
