"""Answers that were worked out before, per kind of request and state of a node.

Pods of one workload ask alike, a waiting one asks again and again, and most nodes of a cluster look alike:
what was found for one node holds for every node of its state, and is still there when a node comes back to
it.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from webhook.core.placement.reasons import Refusal

# Kinds of request that are remembered: more than the classes of most clusters, times one or two units each.
SHAPES: Final = 64
# States of nodes that are told apart before all is forgotten and begun anew: four times as many as a cluster
# of 5,000 nodes has where no two are alike; a kind of request asked about in all of them takes 3 MB.
STATES: Final = 20_000


@dataclass(slots=True)
class Answers:
    """What is known for one kind of request, by group: states that differ in nothing that it can use."""

    refusals: dict[int, Refusal | None] = field(default_factory=dict)
    scores: dict[int, int] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)  # by the number of a state
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def put(self, state: int, usable: Hashable) -> int:
        """Return the group of a state, new here, of which `usable` is what the request can use."""
        return self.groups.setdefault(state, self._numbers.setdefault(usable, len(self._numbers)))


class Verdicts:
    """The remembered answers; of too many kinds the one that was not asked for longest is forgotten."""

    def __init__(self) -> None:
        self._by_shape: dict[Hashable, Answers] = {}
        self._numbers: dict[Hashable, int] = {}
        self._new = count()  # a number is never given again: a node may hold one that is forgotten here

    def __len__(self) -> int:
        return len(self._by_shape)

    def of(self, shape: Hashable) -> Answers:
        """Return what is known for a kind of request, to be read and filled in."""
        answers = self._by_shape.pop(shape, None) or Answers()
        self._by_shape[shape] = answers
        if len(self._by_shape) > SHAPES:
            del self._by_shape[next(iter(self._by_shape))]
        return answers

    def number(self, state: Hashable) -> int:
        """Return the number under which the answers about a state are kept."""
        found = self._numbers.get(state)
        if found is None:
            if len(self._numbers) >= STATES:
                self.clear()
            found = self._numbers[state] = next(self._new)
        return found

    def forget_scores(self) -> None:
        """Forget how well nodes suit: what is scarce in the cluster has changed."""
        for answers in self._by_shape.values():
            answers.scores.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._by_shape.clear()
        self._numbers.clear()
