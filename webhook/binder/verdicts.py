"""Answers that were worked out before, per kind of request and node.

Pods of one workload ask alike, and a waiting one asks again and again: what was found for one node holds
until that node changes.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from webhook.core.placement.reasons import Refusal

# Kinds of request that are remembered: more than the classes of most clusters, times one or two units each.
# At 5,000 nodes one takes about half a megabyte.
SHAPES: Final = 64


@dataclass(slots=True)
class Answers:
    """What is known for one kind of request, by node."""

    refusals: dict[str, Refusal | None] = field(default_factory=dict)
    scores: dict[str, int] = field(default_factory=dict)


class Verdicts:
    """The remembered answers; of too many kinds the one that was not asked for longest is forgotten."""

    def __init__(self) -> None:
        self._by_shape: dict[Hashable, Answers] = {}

    def __len__(self) -> int:
        return len(self._by_shape)

    def of(self, shape: Hashable) -> Answers:
        """Return what is known for a kind of request, to be read and filled in."""
        answers = self._by_shape.pop(shape, None) or Answers()
        self._by_shape[shape] = answers
        if len(self._by_shape) > SHAPES:
            del self._by_shape[next(iter(self._by_shape))]
        return answers

    def drop(self, node: str) -> None:
        """Forget what was said of a node."""
        for answers in self._by_shape.values():
            answers.refusals.pop(node, None)
            answers.scores.pop(node, None)

    def clear(self) -> None:
        """Forget everything."""
        self._by_shape.clear()
