"""Whole devices for several requests at once: bipartite matching, exact also where classes overlap.

Kuhn's augmenting paths, grown from the devices in order of preference. A device once matched stays matched,
and the sets of devices that can be matched together form a matroid, so taking the preferred ones first is the
best choice and not only a good one (vertex-weighted matching). A node has few devices; Hopcroft-Karp would
gain nothing here.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from webhook.core.placement.bits import mask_of


def match(wants: Sequence[tuple[int, int]], order: Iterable[int]) -> list[int] | None:
    """Give each want (a set of devices, how many of them) devices of its own; None when that is impossible.

    Devices outside `order` are not used. Returns one set per want.
    """
    missing = sum(units for _, units in wants)
    everything = reduce(or_, (devices for devices, _ in wants), 0)
    if everything.bit_count() < missing or any(devices.bit_count() < units for devices, units in wants):
        return None
    matching = _Matching(wants)
    for device in order:
        if not missing:
            break
        missing -= matching.add(device)
    return matching.sets() if not missing else None


def most(wants: Sequence[tuple[int, int]], order: Iterable[int]) -> int:
    """Return a set of devices that serves as much of the wants as can be served, those first in order."""
    matching = _Matching(wants)
    return mask_of(device for device in order if matching.add(device))


class _Matching:
    def __init__(self, wants: Sequence[tuple[int, int]]) -> None:
        self._wants = wants
        self._given: list[list[int]] = [[] for _ in wants]

    def sets(self) -> list[int]:
        return [sum(1 << device for device in given) for given in self._given]

    def add(self, device: int) -> bool:
        """Match one more device if that is possible; those that are matched already may move."""
        return self._place(device, set())

    def _place(self, device: int, tried: set[int]) -> bool:
        open_wants = [
            index
            for index, (devices, _) in enumerate(self._wants)
            if index not in tried and devices >> device & 1
        ]
        for index in open_wants:
            if len(self._given[index]) < self._wants[index][1]:
                self._given[index].append(device)
                return True
        return any(self._displace(index, device, tried) for index in open_wants if index not in tried)

    def _displace(self, index: int, device: int, tried: set[int]) -> bool:
        """Give `device` to a want that is full if one of its devices can go elsewhere."""
        tried.add(index)
        given = self._given[index]
        for position, other in enumerate(given):
            if self._place(other, tried):
                given[position] = device
                return True
        return False
