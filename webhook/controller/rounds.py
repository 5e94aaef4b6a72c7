"""Work that only leads to other work: all nodes or all namespaces anew, the first round, and later ones."""

from collections.abc import Callable, Iterable
from typing import Final

from webhook.controller.queue import Key
from webhook.controller.world import CLASS_STATUS, CLASSES, NODE, NODES, QUOTA, Told, World
from webhook.core.raw import name_of

BEGIN: Final = "begin"
RESYNC: Final = "resync"

# What a missed change would spoil is mended after this time. A round that finds nothing to do writes nothing.
RESYNC_SECONDS: Final = 600.0
# The work of a round is spread over this part of the time between two, so that the workers stay free for what
# changes meanwhile.
SPREAD: Final = 0.1


class Rounds:
    """Adds keys to the queue."""

    def __init__(
        self,
        world: World,
        told: Told,
        count: Callable[[str], object],
        every_seconds: float = RESYNC_SECONDS,
    ) -> None:
        """`count` counts the devices of one node."""
        self._world = world
        self._told = told
        self._count = count
        self._every_seconds = every_seconds

    def begin(self, _: str) -> None:
        """Begin to lead: count everything first, so that no status is written of a half-counted class."""
        for node in self._world.node_names():
            self._count(node)
        for key in self._all():
            self._told.add(key)
        self._told.add_after(Key(RESYNC), self._every_seconds)

    def resync(self, _: str) -> float:
        """Have everything looked at again; returns when the next round is due."""
        keys = list(self._all())
        for number, key in enumerate(keys):
            self._told.add_after(key, self._every_seconds * SPREAD * number / len(keys))
        return self._every_seconds

    def sweep(self, name: str) -> None:
        """Have all nodes or all namespaces looked at again."""
        for key in self._nodes() if name == NODES else self._namespaces():
            self._told.add(key)

    def _all(self) -> Iterable[Key]:
        yield Key(CLASSES)
        yield from self._nodes()
        yield from self._namespaces()
        yield from (Key(CLASS_STATUS, name_of(obj)) for obj in self._world.classes.all())

    def _nodes(self) -> Iterable[Key]:
        return (Key(NODE, name) for name in sorted(self._world.node_names()))

    def _namespaces(self) -> Iterable[Key]:
        return (Key(QUOTA, name_of(obj)) for obj in self._world.namespaces.all())
