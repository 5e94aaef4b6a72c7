"""Whom to evict for a pod: the verb preempt.

The scheduler proposes victims by counts: of a class, of cpu, of anything. Whether the devices that they hold
are the right ones is judged here. A proposal that frees them stands; else the fewest pods of lower priority
that do are named in its place; and a node where nothing helps is dropped. A node is never answered without
victims: the scheduler would take that for an error.
"""

from collections.abc import Iterable, Mapping

from webhook.binder.books import Books
from webhook.binder.bypass import strangers_of
from webhook.binder.node_book import NodeBook
from webhook.core.placement.node import NodeDevices
from webhook.core.placement.place import fits
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.placement.requests import PodRequests, pod_requests
from webhook.core.placement.victims import Holder, victims
from webhook.core.raw import at
from webhook.core.values.demand import Demand, demand
from webhook.core.values.names import Json
from webhook.wire.extender import Victims


def preempt(books: Books, pod: Json, proposals: Mapping[str, Victims]) -> dict[str, Victims]:
    """Return the nodes where victims can make room for a pod, and which victims."""
    asked = demand(pod.get("spec"))
    if not asked:
        return {node: proposal for node, proposal in proposals.items() if proposal.uids}
    priority = at(pod, "spec").get("priority")
    own = priority if isinstance(priority, int) else 0
    found = {node: _on_node(books, node, asked, own, proposal) for node, proposal in proposals.items()}
    return {node: item for node, item in found.items() if item is not None and item.uids}


def _on_node(books: Books, node: str, asked: Demand, priority: int, proposal: Victims) -> Victims | None:
    """Judge one node, with the lock held for no more than that: it may take 10 ms."""
    with books.lock:
        return _judged(books, node, pod_requests(asked, books.classes), priority, proposal)


def _judged(
    books: Books, node: str, requests: PodRequests, priority: int, proposal: Victims
) -> Victims | None:
    book = books.book(node)
    if fits(requests, book.without(proposal.uids, books.membership, books.sizes)) is None:
        return proposal
    if any(entry.blocks_node for entry in book.pods.values()):
        return None  # what the others would free cannot be judged
    lower = _least_important_first(entry for entry in book.pods.values() if entry.priority < priority)
    chosen = _fewest(book, book.node_devices(books.membership, books.sizes), requests, lower)
    return None if chosen is None else _counted(chosen, proposal)


def _fewest(
    book: NodeBook, devices: NodeDevices, requests: PodRequests, lower: list[PodEntry]
) -> tuple[str, ...] | None:
    candidates = [Holder(entry.uid, entry.uses, strangers_of([entry], devices)) for entry in lower]
    gone = {entry.uid for entry in lower}
    strangers = book.strangers_without(gone, devices)
    found = victims(requests, devices, book.uses_without(gone), candidates, strangers)
    return None if found is None else tuple(holder.key for holder in found)


def _least_important_first(entries: Iterable[PodEntry]) -> list[PodEntry]:
    """Order by priority; of equal pods the younger first, as the scheduler does."""
    youngest_first = sorted(entries, key=lambda entry: entry.created, reverse=True)
    return sorted(youngest_first, key=lambda entry: entry.priority)


def _counted(uids: tuple[str, ...], proposal: Victims) -> Victims:
    """Return victims with what they violate of PodDisruptionBudgets.

    Budgets are known to the scheduler alone: a victim that it did not propose counts as a violation, so that
    a node where its own proposal stands is preferred.
    """
    shared = len(set(uids) & set(proposal.uids))
    return Victims(uids, min(proposal.pdb_violations, shared) + len(uids) - shared)
