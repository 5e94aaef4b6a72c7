"""All moments of a pod at once: a sidecar keeps its devices while the containers after it come and go.

A request that lives in one moment alone concerns only that moment. Those that live in several (sidecars
beside later init containers that ask for devices: rare, and few) are enumerated, and for each choice of
theirs every moment is packed for itself. Devices that no request can tell apart are tried once. After
CHOICE_LIMIT choices the answer is no.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Final

from webhook.core.placement.bits import bits, mask_of
from webhook.core.placement.node import Node, Room
from webhook.core.placement.packing import Order, Want, pack
from webhook.core.placement.requests import PodRequests

# Two sidecars of two devices each on a node of eight that are all of different kinds have 420 choices.
CHOICE_LIMIT: Final = 500


@dataclass(frozen=True, slots=True)
class Problem:
    """A pod's wants on one node, which of them must be served together, and what is left there."""

    wants: tuple[Want, ...]
    moments: tuple[tuple[int, ...], ...]
    room: Room

    def only(self, kept: Sequence[int]) -> "Problem":
        """Return the problem of these wants alone, which are numbered anew."""
        place = {index: number for number, index in enumerate(kept)}
        moments = (tuple(place[index] for index in moment if index in place) for moment in self.moments)
        wants = tuple(self.wants[index] for index in kept)
        return Problem(wants, tuple(moment for moment in moments if moment), self.room)

    def without(self, devices: int) -> "Problem":
        """Return the problem on a node where these devices are taken as well."""
        wants = tuple(replace(want, devices=want.devices & ~devices) for want in self.wants)
        return Problem(wants, self.moments, self.room.take(devices, None))


def problem_of(pod: PodRequests, node: Node) -> Problem:
    """Return what a pod wants of a node, each want with the devices that can serve it now."""
    serving, room = node.devices.serving, node.room
    wants = []
    for item in pod.requests:
        devices = serving.get(item.class_name, 0)
        if item.memory_bytes is None:
            wants.append(Want(devices & room.empty, item.units))
        else:
            fitting = mask_of(index for index in bits(devices) if room.left[index] >= item.memory_bytes)
            wants.append(Want(fitting, 1, item.memory_bytes, item.is_spread))
    return Problem(tuple(wants), pod.moments, room)


def solve(problem: Problem, order: Order) -> dict[int, int] | None:
    """Return the devices of every want by its position, a set each; None when they cannot all be served."""
    lives = Counter(index for moment in problem.moments for index in moment)
    lasting = sorted(index for index, count in lives.items() if count > 1)
    if lasting and not all(_fits_alone(problem, moment, order) for moment in problem.moments):
        return None
    rooms = [problem.room] * len(problem.moments)
    return _Choices(problem, order).fix(lasting, rooms, {})


def _fits_alone(problem: Problem, moment: Sequence[int], order: Order) -> bool:
    """Whether a moment could be served if it were the only one: most pods that do not fit fail here."""
    return pack([problem.wants[index] for index in moment], problem.room, order) is not None


class _Choices:
    def __init__(self, problem: Problem, order: Order) -> None:
        self._problem = problem
        self._order = order
        self._left = CHOICE_LIMIT

    def fix(
        self, lasting: Sequence[int], rooms: Sequence[Room], fixed: dict[int, int]
    ) -> dict[int, int] | None:
        """Fix the lasting wants one by one, then pack each moment."""
        if not lasting:
            return self._pack(rooms, fixed)
        index, want = lasting[0], self._problem.wants[lasting[0]]
        alive = [number for number, moment in enumerate(self._problem.moments) if index in moment]
        for devices in self._options(want, [rooms[number] for number in alive]):
            self._left -= 1
            if self._left < 0:
                return None
            narrower = list(rooms)
            for number in alive:
                narrower[number] = rooms[number].take(devices, want.memory_bytes)
            found = self.fix(lasting[1:], narrower, {**fixed, index: devices})
            if found is not None:
                return found
        return None

    def _pack(self, rooms: Sequence[Room], fixed: dict[int, int]) -> dict[int, int] | None:
        """Pack the rest of each moment. Init containers take what the pod holds anyway, where they can."""
        found = dict(fixed)
        held = self._order.first
        for moment, room in zip(self._problem.moments, rooms, strict=True):
            rest = [index for index in moment if index not in fixed]
            wants = [self._problem.wants[index] for index in rest]
            packed = pack(wants, room, replace(self._order, first=held))
            if packed is None:
                return None
            found.update(zip(rest, packed, strict=True))
            held |= reduce(or_, packed, 0)
            held |= reduce(or_, (fixed[index] for index in moment if index in fixed), 0)
        return found

    def _options(self, want: Want, rooms: Sequence[Room]) -> Iterator[int]:
        """Yield the sets of devices that a lasting want can have, of sets that cannot be told apart one."""
        groups: dict[object, list[int]] = {}
        for device in self._order.ranked():
            if want.devices >> device & 1 and _is_free(want, device, rooms):
                groups.setdefault(self._alike(device, rooms), []).append(device)
        return selections(list(groups.values()), want.units)

    def _alike(self, device: int, rooms: Sequence[Room]) -> object:
        kinds = tuple(want.devices >> device & 1 for want in self._problem.wants)
        return kinds, tuple((room.left[device], room.empty >> device & 1) for room in rooms)


def _is_free(want: Want, device: int, rooms: Sequence[Room]) -> bool:
    if want.memory_bytes is None:
        return all(room.empty >> device & 1 for room in rooms)
    return all(room.left[device] >= want.memory_bytes for room in rooms)


def selections(groups: Sequence[Sequence[int]], units: int) -> Iterator[int]:
    """Yield the choices of `units` devices, which differ in how many they take of each group."""
    if not groups:
        if not units:
            yield 0
        return
    first, rest = groups[0], groups[1:]
    least = max(units - sum(len(group) for group in rest), 0)  # the others have no more
    for taken in range(min(units, len(first)), least - 1, -1):
        own = mask_of(first[:taken])
        for others in selections(rest, units - taken):
            yield own | others
