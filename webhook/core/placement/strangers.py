"""Devices that pods use without asking for a class: through a vendor's own resource, such as nvidia.com/gpu.

Which of its devices such a pod has is not known here. So it costs one device of every class that it could be:
whatever a pod asks for must still be there when the stranger has the most unlucky one.

For one class that means one empty device more. For several at once it is enough to ask that of each in turn:
by Hall's theorem a group of classes is short after the loss exactly if it is short when any one of its
classes asks for as many devices more. Shares are judged more strictly than need be: a stranger costs an empty
device there too.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import product

from webhook.core.placement.moments import moments
from webhook.core.placement.node import Node
from webhook.core.placement.packing import Want
from webhook.core.placement.problem import Problem
from webhook.core.placement.requests import PodRequests
from webhook.core.values.containers import INIT_CONTAINERS, LIMITS, REQUESTS, ContainerRef, containers
from webhook.core.values.names import Json
from webhook.core.values.quantity import BadQuantity, parse_amount


def plain_units(pod: Json, raw_resources: Iterable[str]) -> dict[str, int]:
    """Return how many units of each of these resources a pod uses, as the scheduler counts them."""
    refs = [(ref, ref.kind == INIT_CONTAINERS and not ref.is_sidecar) for ref in containers(pod.get("spec"))]
    together = moments(refs)
    found = {
        name: max((sum(_amount(ref, name) for ref in moment) for moment in together), default=0)
        for name in raw_resources
    }
    return {name: units for name, units in found.items() if units}


def harder(problem: Problem, pod: PodRequests, node: Node) -> Iterator[Problem]:
    """Yield the problems that must be solvable as well, because of the node's strangers."""
    usable: dict[str, int] = {}
    for item, want in zip(pod.requests, problem.wants, strict=False):
        usable[item.class_name] = usable.get(item.class_name, 0) | want.devices
    costs = [
        [
            Want(own & devices & node.room.empty, min(units, (own & devices).bit_count()))
            for own in usable.values()
        ]
        for devices, units in node.strangers
    ]
    for one_class_each in product(*costs) if costs else ():
        yield reduce(Problem.with_one_more, one_class_each, problem)


def _amount(ref: ContainerRef, name: str) -> int:
    value = ref.amounts(LIMITS).get(name, ref.amounts(REQUESTS).get(name))
    try:
        return parse_amount(value)
    except BadQuantity:
        return 0
