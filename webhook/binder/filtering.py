"""Which nodes can serve a pod, and how well: the verbs filter and prioritize."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from webhook.binder.books import Books
from webhook.binder.verdicts import Answers
from webhook.binder.waiting import Waiting
from webhook.core.placement.place import fits, place
from webhook.core.placement.reasons import Refusal
from webhook.core.placement.requests import PodRequests, pod_requests
from webhook.core.placement.score import MAX_SCORE, score
from webhook.core.raw import as_text, at
from webhook.core.values.demand import demand
from webhook.core.values.names import Json

# Of more nodes than these only the best by our own score are answered. kube-scheduler itself looks for as
# many at least (minFeasibleNodesToFind); each further one costs it, and the call of prioritize, a scoring.
CANDIDATES: Final = 100

# What an extender may answer (MaxExtenderPriority of kube-scheduler).
MAX_PRIORITY: Final = 10

OTHER_BIND: Final = "an earlier attempt to bind the pod to another node is not decided yet"


class Undecided(Exception):
    """The pod may be bound already, to a node that is not among those asked about: ask again."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """The nodes that can serve the pod, and why the others cannot."""

    passing: Sequence[str]
    refused: Mapping[str, str] = field(default_factory=dict)


def filter_nodes(books: Books, pod: Json, names: Sequence[str]) -> Filtered:
    """Return which of the nodes can serve a pod. Every node can serve one that asks for no class.

    Raises Undecided.
    """
    asked = demand(pod.get("spec"))
    if not asked:
        return Filtered(names)
    with books.lock:
        reservation = books.reserved.get(as_text(at(pod, "metadata").get("uid")))
        if reservation is not None:
            return _only(reservation.node, names)
        requests = pod_requests(asked, books.classes)
        answers = books.verdicts.of(shape_of(requests))
        passing, refused = _sorted_out(books, requests, answers, names)
        _remember(books, pod, requests, has_room=bool(passing))
        if len(passing) > CANDIDATES:
            passing = _best(books, requests, answers, passing)
        return Filtered(passing, refused)


def prioritize_nodes(books: Books, pod: Json, names: Sequence[str]) -> dict[str, int]:
    """Return how well each node suits a pod, from 0 for the worst of them to 10 for the best."""
    asked = demand(pod.get("spec"))
    if not asked:
        return dict.fromkeys(names, MAX_PRIORITY)
    with books.lock:
        requests = pod_requests(asked, books.classes)
        answers = books.verdicts.of(shape_of(requests))
        return _stretched({name: _score(books, requests, answers, name) for name in names})


def _stretched(scores: Mapping[str, int]) -> dict[str, int]:
    """Return the scores as priorities that differ wherever it matters.

    As kube-scheduler's own plugins normalise theirs: 0 to 10 is too coarse for one share of many devices.
    """
    worst, best = min(scores.values(), default=0), max(scores.values(), default=0)
    if worst == best:
        return dict.fromkeys(scores, MAX_PRIORITY)
    return {name: MAX_PRIORITY * (own - worst) // (best - worst) for name, own in scores.items()}


def shape_of(requests: PodRequests) -> Hashable:
    """Return what answers about a pod depend on: what is asked for, and which requests share a container."""
    order = {
        name: rank for rank, name in enumerate(dict.fromkeys(item.container for item in requests.requests))
    }
    return requests.shape, tuple(order[item.container] for item in requests.requests)


def _only(node: str, names: Sequence[str]) -> Filtered:
    """The pod holds devices on one node already: it can be bound there and nowhere else."""
    if node not in names:
        raise Undecided(f"{OTHER_BIND}: {node}")
    return Filtered([node], {name: OTHER_BIND for name in names if name != node})


def _sorted_out(
    books: Books, requests: PodRequests, answers: Answers, names: Iterable[str]
) -> tuple[list[str], dict[str, str]]:
    passing: list[str] = []
    refused: dict[str, str] = {}
    known = answers.refusals
    for name in names:
        try:
            refusal = known[name]
        except KeyError:
            refusal = known[name] = fits(requests, books.node(name))
        if refusal is None:
            passing.append(name)
        else:
            refused[name] = refusal.text
    return passing, refused


def _remember(books: Books, pod: Json, requests: PodRequests, *, has_room: bool) -> None:
    """Note a pod that must wait, for waking.py."""
    metadata = at(pod, "metadata")
    uid, namespace, name = (as_text(metadata.get(key)) for key in ("uid", "namespace", "name"))
    if has_room:
        books.waiting.pop(uid, None)
    else:
        books.wait(Waiting(uid, namespace, name, requests, books.classes, books.clock()))


def _best(books: Books, requests: PodRequests, answers: Answers, names: Iterable[str]) -> list[str]:
    by_score: list[list[str]] = [[] for _ in range(MAX_SCORE + 1)]
    for name in names:
        by_score[_score(books, requests, answers, name)].append(name)
    best = [name for group in reversed(by_score) for name in group]
    return best[:CANDIDATES]


def _score(books: Books, requests: PodRequests, answers: Answers, name: str) -> int:
    known = answers.scores.get(name)
    if known is None:
        node = books.node(name)
        found = place(requests, node)
        known = answers.scores[name] = 0 if isinstance(found, Refusal) else score(node, found, books.sizes)
    return known
