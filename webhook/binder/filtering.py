"""Which nodes can serve a pod, and how well: the verbs filter and prioritize."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from webhook.binder.books import Books
from webhook.binder.question import Groups, Question
from webhook.binder.slices import Slice, in_slices
from webhook.binder.waiting import Waiting
from webhook.core.placement.requests import PodRequests
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
    since = books.clock()
    return in_slices(books, lambda work: _filtered(Question(books, asked, work), pod, names, since))


def prioritize_nodes(books: Books, pod: Json, names: Sequence[str]) -> dict[str, int]:
    """Return how well each node suits a pod, from 0 for the worst of them to 10 for the best."""
    asked = demand(pod.get("spec"))
    if not asked:
        return dict.fromkeys(names, MAX_PRIORITY)

    def answer(work: Slice) -> dict[str, int]:
        question = Question(books, asked, work)
        by_group = question.by_group(names)
        scores = question.scores(by_group)
        return _stretched({name: scores[group] for group, alike in by_group.items() for name in alike})

    return in_slices(books, answer)


def _filtered(question: Question, pod: Json, names: Sequence[str], since: float) -> Filtered:
    books = question.books
    reservation = books.reserved.get(as_text(at(pod, "metadata").get("uid")))
    if reservation is not None:
        return _only(reservation.node, names)
    by_group = question.by_group(names)
    refusals = question.refusals(by_group)
    passing: dict[int, Sequence[str]] = {}
    refused: dict[str, str] = {}
    for group, alike in by_group.items():
        refusal = refusals[group]
        if refusal is None:
            passing[group] = alike
        else:
            refused.update(dict.fromkeys(alike, refusal.text))
    best = _best(question, passing)
    _remember(books, pod, question.requests, since, has_room=bool(best))
    return Filtered(best, refused)


def _stretched(scores: Mapping[str, int]) -> dict[str, int]:
    """Return the scores as priorities that differ wherever it matters.

    As kube-scheduler's own plugins normalise theirs: 0 to 10 is too coarse for one share of many devices.
    """
    worst, best = min(scores.values(), default=0), max(scores.values(), default=0)
    if worst == best:
        return dict.fromkeys(scores, MAX_PRIORITY)
    return {name: MAX_PRIORITY * (own - worst) // (best - worst) for name, own in scores.items()}


def _only(node: str, names: Sequence[str]) -> Filtered:
    """The pod holds devices on one node already: it can be bound there and nowhere else."""
    if node not in names:
        raise Undecided(f"{OTHER_BIND}: {node}")
    return Filtered([node], {name: OTHER_BIND for name in names if name != node})


def _remember(books: Books, pod: Json, requests: PodRequests, since: float, *, has_room: bool) -> None:
    """Note a pod that must wait, for waking.py: what changed after `since` may have been missed."""
    metadata = at(pod, "metadata")
    uid, namespace, name = (as_text(metadata.get(key)) for key in ("uid", "namespace", "name"))
    if has_room:
        books.waiting.pop(uid, None)
    else:
        books.wait(Waiting(uid, namespace, name, requests, books.classes, since))


def _best(question: Question, passing: Groups) -> list[str]:
    """Return the nodes that suit best; all of them when they are few."""
    groups: Iterable[int] = passing
    if sum(map(len, passing.values())) > CANDIDATES:
        groups = sorted(passing, key=question.scores(passing).__getitem__, reverse=True)
    return list(islice(chain.from_iterable(passing[group] for group in groups), CANDIDATES))
