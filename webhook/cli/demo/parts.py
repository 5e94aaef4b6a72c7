"""Controller and binder in this process, over the API server that the folder stands for."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from webhook.binder.app import Verbs
from webhook.binder.assembly import Parts, assemble
from webhook.cluster.api import Api
from webhook.controller import assembly as controller
from webhook.core.errors import ClusterUnavailable, NotReady

WAIT_SECONDS: Final = 20.0
POLL_SECONDS: Final = 0.02


class _Silent:
    def worked(self, kind: str, result: str) -> None:
        """Whoever plays a demo reads no metrics."""


class Running:
    """What the demo asks of the two."""

    def __init__(self, binder: Parts) -> None:
        self._binder = binder

    def verbs(self) -> Verbs:
        """Return the verbs of the binder, once it may answer: it lets a binder before it finish."""
        until(lambda: not self._binder.not_synced() and self.may_decide(), "the binder did not begin")
        return Verbs(self._binder.books, self._binder.binder)

    def may_decide(self) -> bool:
        """Whether the binder answers."""
        try:
            self._binder.fence.check()
        except NotReady:
            return False
        return True


@contextmanager
def parts_over(api: Api) -> Iterator[Running]:
    """Run the two until the block ends."""
    keeper = controller.assemble(api, controller.Options("demo"), _Silent()).controller
    binder = assemble(api, None)
    keeper.start()
    binder.start()
    running = Running(binder)
    try:
        running.may_decide()  # what a binder before it may still be writing is waited out from now on
        yield running
    finally:
        keeper.close()
        binder.close()


def until(check: Callable[[], bool], failure: str, clock: Callable[[], float] = time.monotonic) -> None:
    """Wait until something holds. Raises ClusterUnavailable, saying `failure`, after WAIT_SECONDS."""
    deadline = clock() + WAIT_SECONDS
    while not check():
        if clock() > deadline:
            raise ClusterUnavailable(f"{failure} within {WAIT_SECONDS:.0f} s")
        time.sleep(POLL_SECONDS)
