"""What strangers leave of a node: pods that hold devices past the scheduler, nobody knows which.

Of the devices that one of them could hold each is as likely as the other, so a pod fits only if it fits
wherever they are: then enough is free for certain. Every place is tried, but of devices that the pod cannot
tell apart only how many are gone matters. A pod that asks for one class has one place to fear: as many of its
devices are gone as can be.

Beyond PLACES_LIMIT places, strangers are taken to be at the worst place of each kind of device at once: more
than they can hold, so never an offer too many.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from operator import or_
from typing import Final

from webhook.core.placement.bits import bits, mask_of
from webhook.core.placement.matching import most
from webhook.core.placement.node import Node, Strangers
from webhook.core.placement.problem import Problem, selections

# Each costs a search of some 20 us per node. Four strangers among three kinds of device have 15 places.
PLACES_LIMIT: Final = 32


def wherever(problem: Problem, node: Node) -> Iterator[Problem]:
    """Yield the problem for each place of the node's strangers; it must be solvable in all of them."""
    kinds = _kinds(problem, node)
    places = list(islice(_places(kinds, node.strangers, 0), PLACES_LIMIT + 1))
    if len(places) > PLACES_LIMIT:
        places = [_everywhere(kinds, node.strangers)]
    for taken in places:
        yield problem.without(taken)


def assumed(problem: Problem, node: Node, ranked: Sequence[int]) -> int:
    """Return the devices that strangers are taken to hold while the pod gets others.

    As many as they hold, so that enough is left for them, and those that the pod would like least.
    """
    useful, least_liked = _useful(problem), ranked[::-1]
    return most(node.strangers, sorted(least_liked, key=lambda device: useful >> device & 1))


def _useful(problem: Problem) -> int:
    return reduce(or_, (want.devices for want in problem.wants), 0)


def _kinds(problem: Problem, node: Node) -> list[int]:
    """Return the devices that matter to the pod and that strangers may hold, in sets of equal ones."""
    shares = sum(want.memory_bytes is not None for want in problem.wants)
    concerned = reduce(or_, (item.devices for item in node.strangers), 0) & _useful(problem)
    found: dict[object, int] = {}
    for device in bits(concerned):
        serves = tuple(want.devices >> device & 1 for want in problem.wants)
        held = tuple(item.devices >> device & 1 for item in node.strangers)
        # How much memory there is matters only where several shares may lie side by side.
        kind = serves, held, problem.room.left[device] if shares > 1 else 0
        found[kind] = found.get(kind, 0) | 1 << device
    return list(found.values())


def _places(kinds: Sequence[int], strangers: Sequence[Strangers], taken: int) -> Iterator[int]:
    """Yield the sets of devices that strangers may hold beside `taken`, of equal ones one."""
    if not strangers:
        yield taken
        return
    (devices, units), *rest = strangers
    free = [bits(kind & devices & ~taken) for kind in kinds]
    for chosen in selections(free, min(units, sum(map(len, free)))):
        yield from _places(kinds, rest, taken | chosen)


def _everywhere(kinds: Sequence[int], strangers: Sequence[Strangers]) -> int:
    """Return, of each kind, as many devices as strangers could hold of it alone."""
    taken = 0
    for devices, units in strangers:
        for kind in kinds:
            taken |= mask_of(bits(kind & devices & ~taken)[:units])
    return taken
