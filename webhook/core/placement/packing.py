"""Requests that must be served at one time: shares and whole devices of one node, never both on one device.

Whole devices alone are a matching. Shares are packed by depth-first search, the largest first, each on the
device that suits it best; after each step the whole devices must still match. What failed once is remembered,
and devices that no request can tell apart are tried once. So the first descent is best-fit decreasing, and
the search is exact.

Packing is NP-hard. Up to EXACT_DEVICES devices and EXACT_SHARES shares the search runs to its end; beyond, it
is cut off after SEARCH_STEPS steps: a heuristic that may say no where a yes exists, never the other way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from webhook.core.placement.bits import bits, mask_of
from webhook.core.placement.matching import match
from webhook.core.placement.node import Room

EXACT_DEVICES: Final = 8
EXACT_SHARES: Final = 8
# On top of the one step per share that every descent takes: enough for some mending, in about 2 ms.
SEARCH_STEPS: Final = 200


@dataclass(frozen=True, slots=True)
class Want:
    """A request as a node sees it: which devices may serve it, how many of them or how much of one."""

    devices: int
    units: int
    memory_bytes: int | None = None
    is_spread: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """In which order devices are taken. Those in `first` come before all others."""

    devices: Sequence[int]
    first: int = 0

    def ranked(self) -> Sequence[int]:
        """Return the devices in order."""
        if not self.first:
            return self.devices
        return sorted(self.devices, key=lambda device: not self.first >> device & 1)


def pack(wants: Sequence[Want], room: Room, order: Order) -> list[int] | None:
    """Return one set of devices per want, all to be had at one time; None when there is no such choice."""
    if any(want.memory_bytes is not None for want in wants):
        return _Search(wants, room, order).run()
    return match([(want.devices & room.empty, want.units) for want in wants], order.ranked())


class _Search:
    """The search for one packing. Positions are those of `wants`."""

    def __init__(self, wants: Sequence[Want], room: Room, order: Order) -> None:
        self._wants = wants
        self._room = room
        self._order = order
        self._rank = {device: rank for rank, device in enumerate(order.ranked())}
        self._wholes = [index for index, want in enumerate(wants) if want.memory_bytes is None]
        self._shares = sorted(
            (index for index, want in enumerate(wants) if want.memory_bytes is not None), key=self._difficulty
        )
        self._kinds = [
            mask_of(index for index, want in enumerate(wants) if want.devices >> device & 1)
            for device in range(len(room.left))
        ]
        self._failed: set[object] = set()
        self._steps = self._step_limit()
        self._chosen: list[int] = []

    def run(self) -> list[int] | None:
        """Return one set of devices per want, or None."""
        wholes = self._match_wholes(self._room)
        if wholes is not None and self._shares:
            wholes = self._descend(0, self._room)
        if wholes is None:
            return None
        found = dict(zip(self._wholes, wholes, strict=True))
        found.update(zip(self._shares, (1 << device for device in self._chosen), strict=True))
        return [found[index] for index in range(len(self._wants))]

    def _difficulty(self, index: int) -> tuple[int, int, int]:
        want = self._wants[index]
        return -(want.memory_bytes or 0), want.devices.bit_count(), index

    def _step_limit(self) -> int | None:
        usable = mask_of(device for device, kind in enumerate(self._kinds) if kind)
        is_small = usable.bit_count() <= EXACT_DEVICES and len(self._shares) <= EXACT_SHARES
        return None if is_small else SEARCH_STEPS + len(self._shares)

    def _match_wholes(self, room: Room) -> list[int] | None:
        wants = [
            (self._wants[index].devices & room.empty, self._wants[index].units) for index in self._wholes
        ]
        return match(wants, self._rank)

    def _descend(self, depth: int, room: Room) -> list[int] | None:
        """Place the shares from `depth` on; return the devices of the whole requests once all are placed."""
        wholes = self._match_wholes(room)
        if wholes is None or depth == len(self._shares):
            return wholes
        # Most searches never fail: the state is worked out once there is one to compare it with.
        if (self._failed and self._state(depth, room) in self._failed) or not self._may_fit(depth, room):
            return None
        want = self._wants[self._shares[depth]]
        for device in self._options(want, room):
            if self._is_exhausted():
                return None
            self._chosen.append(device)
            wholes = self._descend(depth + 1, room.take(1 << device, want.memory_bytes))
            if wholes is not None:
                return wholes
            self._chosen.pop()
        self._failed.add(self._state(depth, room))
        return None

    def _is_exhausted(self) -> bool:
        if self._steps is not None:
            self._steps -= 1
        return self._steps is not None and self._steps < 0

    def _options(self, want: Want, room: Room) -> list[int]:
        """Return the devices that can take a share, the best first, one of each that cannot be told apart."""
        memory_bytes = want.memory_bytes or 0
        fitting = [device for device in bits(want.devices) if room.left[device] >= memory_bytes]
        fitting.sort(key=lambda device: self._preference(want, room, device))
        distinct: dict[tuple[int, int, bool], int] = {}
        for device in fitting:
            distinct.setdefault(self._alike(device, room), device)
        return list(distinct.values())

    def _preference(self, want: Want, room: Room, device: int) -> tuple[bool, bool, int, int]:
        is_later = not self._order.first >> device & 1
        is_empty = bool(room.empty >> device & 1)
        if want.is_spread:
            return is_later, False, -room.left[device], self._rank[device]
        # Among used devices the fullest; among empty ones, which should stay whole, the least scarce.
        return is_later, is_empty, 0 if is_empty else room.left[device], self._rank[device]

    def _alike(self, device: int, room: Room) -> tuple[int, int, bool]:
        return self._kinds[device], room.left[device], bool(room.empty >> device & 1)

    def _state(self, depth: int, room: Room) -> object:
        used = [device for device, kind in enumerate(self._kinds) if kind]
        return depth, tuple(sorted(self._alike(device, room) for device in used))

    def _may_fit(self, depth: int, room: Room) -> bool:
        """Whether the shares from `depth` on may fit, judged by each one alone and by their sum."""
        together, total = 0, 0
        for index in self._shares[depth:]:
            want = self._wants[index]
            memory_bytes = want.memory_bytes or 0
            if not any(room.left[device] >= memory_bytes for device in bits(want.devices)):
                return False
            together |= want.devices
            total += memory_bytes
        left = sum(room.left[device] for device in bits(together))
        return left - self._kept_whole(together, room) >= total

    def _kept_whole(self, together: int, room: Room) -> int:
        """Return the least memory of the devices `together` that the whole requests must take away."""
        free = reduce(or_, (self._wants[index].devices for index in self._wholes), 0) & room.empty
        needed = sum(self._wants[index].units for index in self._wholes) - (free & ~together).bit_count()
        return sum(sorted(room.left[device] for device in bits(free & together))[: max(needed, 0)])
