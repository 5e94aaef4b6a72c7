"""Which nodes can serve a pod, and how well: the verbs filter and prioritize."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from webhook.binder.books import Books
from webhook.binder.slices import Slice, in_slices
from webhook.binder.waiting import Waiting
from webhook.core.placement.alike import state_for
from webhook.core.placement.place import fits, place
from webhook.core.placement.reasons import Refusal
from webhook.core.placement.requests import PodRequests, pod_requests
from webhook.core.placement.score import score
from webhook.core.raw import as_text, at
from webhook.core.values.demand import Demand, demand
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
    return in_slices(books, lambda work: _filtered(_Question(books, asked, work), pod, names, since))


def prioritize_nodes(books: Books, pod: Json, names: Sequence[str]) -> dict[str, int]:
    """Return how well each node suits a pod, from 0 for the worst of them to 10 for the best."""
    asked = demand(pod.get("spec"))
    if not asked:
        return dict.fromkeys(names, MAX_PRIORITY)

    def answer(work: Slice) -> dict[str, int]:
        question = _Question(books, asked, work)
        groups = question.by_group(names).items()
        return _stretched(
            {name: question.score(group, alike[0]) for group, alike in groups for name in alike}
        )

    return in_slices(books, answer)


def _filtered(question: "_Question", pod: Json, names: Sequence[str], since: float) -> Filtered:
    books = question.books
    reservation = books.reserved.get(as_text(at(pod, "metadata").get("uid")))
    if reservation is not None:
        return _only(reservation.node, names)
    passing: list[tuple[int, list[str]]] = []
    refused: dict[str, str] = {}
    for group, alike in question.by_group(names).items():
        refusal = question.refusal(group, alike[0])
        if refusal is None:
            passing.append((group, alike))
        else:
            refused.update(dict.fromkeys(alike, refusal.text))
    best = _best(question, passing)
    _remember(books, pod, question.requests, since, has_room=bool(best))
    return Filtered(best, refused)


class _Question:
    """What is asked about a pod, with the answers that are known and those that are worked out for it."""

    def __init__(self, books: Books, asked: Demand, work: Slice) -> None:
        self.books = books
        self.requests = pod_requests(asked, books.classes)
        self._answers = books.verdicts.of(shape_of(self.requests))
        self._work = work

    def by_group(self, names: Iterable[str]) -> dict[int, list[str]]:
        """Return the nodes by group: the answers about one hold for every other of its group."""
        known = self.books.states
        by_state: dict[int, list[str]] = defaultdict(list)
        for name in names:
            state = known.get(name)
            if state is None:
                state = self.books.state(name)
                self._work.done()
            by_state[state].append(name)
        by_group: dict[int, list[str]] = defaultdict(list)
        for state, alike in by_state.items():
            by_group[self._group(state, alike[0])] += alike
        return by_group

    def _group(self, state: int, name: str) -> int:
        found = self._answers.groups.get(state)
        if found is None:
            found = self._answers.put(state, state_for(self.requests, self.books.node(name)))
            self._work.done()
        return found

    def refusal(self, group: int, name: str) -> Refusal | None:
        """Return why a node, which is of this group, cannot serve the pod; None if it can."""
        known = self._answers.refusals
        if group not in known:
            known[group] = fits(self.requests, self.books.node(name))
            self._work.done()
        return known[group]

    def score(self, group: int, name: str) -> int:
        """Return how well a node, which is of this group, suits the pod, from 0 to MAX_SCORE."""
        known = self._answers.scores.get(group)
        if known is None:
            node = self.books.node(name)
            found = place(self.requests, node)
            known = 0 if isinstance(found, Refusal) else score(node, found, self.books.sizes)
            self._answers.scores[group] = known
            self._work.done()
        return known


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


def _remember(books: Books, pod: Json, requests: PodRequests, since: float, *, has_room: bool) -> None:
    """Note a pod that must wait, for waking.py: what changed after `since` may have been missed."""
    metadata = at(pod, "metadata")
    uid, namespace, name = (as_text(metadata.get(key)) for key in ("uid", "namespace", "name"))
    if has_room:
        books.waiting.pop(uid, None)
    else:
        books.wait(Waiting(uid, namespace, name, requests, books.classes, since))


def _best(question: _Question, passing: Sequence[tuple[int, list[str]]]) -> list[str]:
    """Return the nodes that suit best; all of them when they are few."""
    if sum(len(alike) for _, alike in passing) > CANDIDATES:
        passing = sorted(passing, key=lambda each: -question.score(each[0], each[1][0]))
    return list(islice(chain.from_iterable(alike for _, alike in passing), CANDIDATES))
