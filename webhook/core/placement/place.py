"""Can a node serve a pod, and by which devices?

`fits` answers the first for thousands of nodes, `place` both for one.
"""

from dataclasses import dataclass

from webhook.core.placement import reasons
from webhook.core.placement.alike import common_order
from webhook.core.placement.bits import bits
from webhook.core.placement.node import Node
from webhook.core.placement.packing import Order
from webhook.core.placement.preference import keep_local, preferred_order
from webhook.core.placement.problem import Problem, problem_of, solve
from webhook.core.placement.reasons import Refusal
from webhook.core.placement.requests import PodRequests, Request
from webhook.core.placement.strangers import assumed, wherever
from webhook.core.values.record import Allocation, Record


@dataclass(frozen=True, slots=True)
class Grant:
    """The devices that one request gets, as a set of the node's devices."""

    request: Request
    devices: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """The devices of a pod on one node, one grant per request, in the order of the pod's containers."""

    grants: tuple[Grant, ...]

    def record(self, node: Node) -> Record:
        """Return the assignment as the record that the pod gets; empty for a pod that asks for nothing."""
        containers: dict[str, tuple[Allocation, ...]] = {}
        for grant in self.grants:
            item = grant.request
            own = tuple(
                Allocation(item.class_name, node.devices.devices[index].device_id, item.memory_bytes)
                for index in bits(grant.devices)
            )
            containers[item.container] = containers.get(item.container, ()) + own
        return Record(node.devices.name, containers)


def fits(pod: PodRequests, node: Node) -> Refusal | None:
    """Return why the node cannot serve the pod; None when it can."""
    refusal = _refused_at_once(pod, node)
    if refusal is not None or not pod.requests:
        return refusal
    problem = problem_of(pod, node)
    return None if _is_served(problem, node) else _explain(pod, node, problem)


def place(pod: PodRequests, node: Node) -> Assignment | Refusal:
    """Choose the devices of the pod on this node, or say why it cannot be served."""
    refusal = _refused_at_once(pod, node)
    if refusal is not None or not pod.requests:
        return refusal or Assignment(())
    problem = problem_of(pod, node)
    order = preferred_order(pod, problem, node)
    if node.strangers:
        if not _is_served(problem, node):
            return _explain(pod, node, problem)
        problem = problem.without(assumed(problem, node, order.ranked()))
    # Beyond its exact sizes the search may fail in one order and not in another: what `fits` promised holds,
    # also where it was asked about another node of the same state.
    orders = (order, _any_order(node))
    chosen = next((found for one in orders if (found := solve(problem, one)) is not None), None)
    if chosen is None:
        return _explain(pod, node, problem)
    if node.devices.domains:
        chosen = solve(keep_local(pod, problem, node, order), order) or chosen
    return Assignment(tuple(Grant(item, chosen[index]) for index, item in enumerate(pod.requests)))


def _refused_at_once(pod: PodRequests, node: Node) -> Refusal | None:
    if pod.unknown:
        return reasons.unknown_classes(pod.unknown)
    if pod.is_too_long:
        return reasons.TOO_LONG
    return reasons.BLOCKED if node.is_blocked and pod.requests else None


def _is_served(problem: Problem, node: Node) -> bool:
    """Whether the pod can be served, whichever devices strangers hold."""
    if not node.strangers:
        return _is_solvable(problem, node)
    return all(_is_solvable(one, node) for one in wherever(problem, node))


def _is_solvable(problem: Problem, node: Node) -> bool:
    if any(want.devices.bit_count() < want.units for want in problem.wants):
        return False
    # One request alone needs no search: problem_of has kept the devices that can serve it.
    return len(problem.wants) == 1 or solve(problem, _any_order(node)) is not None


def _any_order(node: Node) -> Order:
    return Order(common_order(node))


def _explain(pod: PodRequests, node: Node, problem: Problem) -> Refusal:
    """Say which classes fall short alone, or else that they do so together."""
    names = tuple(sorted({item.class_name for item in pod.requests}))
    short = tuple(name for name in names if not _is_served_alone(pod, name, problem, node))
    if short:
        return reasons.short_of(tuple(reasons.shortage(pod, name, node) for name in short))
    return reasons.not_together(names)


def _is_served_alone(pod: PodRequests, name: str, problem: Problem, node: Node) -> bool:
    kept = [index for index, item in enumerate(pod.requests) if item.class_name == name]
    return _is_served(problem.only(kept), node)
