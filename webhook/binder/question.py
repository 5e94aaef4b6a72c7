"""What is asked about a pod, with the answers that are known and those that are worked out for it."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from webhook.binder.books import Books
from webhook.binder.slices import Slice
from webhook.core.placement.alike import state_for
from webhook.core.placement.place import fits, place
from webhook.core.placement.reasons import Refusal
from webhook.core.placement.requests import PodRequests, pod_requests
from webhook.core.placement.score import score
from webhook.core.values.demand import Demand

Groups = Mapping[int, Sequence[str]]
"""The nodes by group: the answers about one hold for every other of its group."""


class Question:
    """For one slice, with the lock of the books held."""

    def __init__(self, books: Books, asked: Demand, work: Slice) -> None:
        self.books = books
        self.requests = pod_requests(asked, books.classes)
        self._answers = books.verdicts.of(shape_of(self.requests))
        self._work = work

    def by_group(self, names: Iterable[str]) -> Groups:
        """Return the nodes by the number of their group."""
        by_state, groups = self._by_state(names), self._answers.groups
        for state in by_state.keys() - groups.keys():
            self._answers.put(state, state_for(self.requests, self.books.node(by_state[state][0])))
            self._work.done()
        found: dict[int, list[str]] = defaultdict(list)
        for state, alike in by_state.items():
            found[groups[state]] += alike
        return found

    def refusals(self, by_group: Groups) -> Mapping[int, Refusal | None]:
        """Return, by group, why its nodes cannot serve the pod; None where they can."""
        known = self._answers.refusals
        for group in by_group.keys() - known.keys():
            known[group] = fits(self.requests, self.books.node(by_group[group][0]))
            self._work.done()
        return known

    def scores(self, by_group: Groups) -> Mapping[int, int]:
        """Return, by group, how well its nodes suit the pod, from 0 to MAX_SCORE."""
        known = self._answers.scores
        for group in by_group.keys() - known.keys():
            node = self.books.node(by_group[group][0])
            found = place(self.requests, node)
            known[group] = 0 if isinstance(found, Refusal) else score(node, found, self.books.sizes)
            self._work.done()
        return known

    def _by_state(self, names: Iterable[str]) -> dict[int, list[str]]:
        known = self.books.states
        found: dict[int, list[str]] = defaultdict(list)
        for name in names:
            state = known.get(name)
            if state is None:
                state = self.books.state(name)
                self._work.done()
            found[state].append(name)
        return found


def shape_of(requests: PodRequests) -> Hashable:
    """Return what answers about a pod depend on: what is asked for, and which requests share a container."""
    order = {
        name: rank for rank, name in enumerate(dict.fromkeys(item.container for item in requests.requests))
    }
    return requests.shape, tuple(order[item.container] for item in requests.requests)
