"""Whether a text is close to a name, so that an answer can say "did you mean"."""

from collections.abc import Iterable
from typing import Final

_ONE_SEPARATOR: Final = str.maketrans("_- /", "....")

# In a name this short one letter is already much: t4 is a letter away from t5 and two from gpu's.
_SHORT: Final = 4

# A longer text is no slip of a class name (at most 63 characters), and the table below costs length squared.
_MAX_LENGTH: Final = 80


def closest(text: str, candidates: Iterable[str]) -> str | None:
    """Return the nearest of the candidates, or None when none is near.

    Near is what differs in case, in `_`, `-` and `.`, or by at most two letters (one in short names).
    Among equally near ones the first by alphabet is returned.
    """
    if len(text) > _MAX_LENGTH:
        return None
    typed = _folded(text)
    allowed = 1 if len(typed) <= _SHORT else 2
    ranked = sorted(
        (distance, name)
        for name in candidates
        if (distance := _distance(typed, _folded(name), allowed)) <= allowed
    )
    return ranked[0][1] if ranked else None


def _folded(text: str) -> str:
    return text.lower().translate(_ONE_SEPARATOR)


def _distance(one: str, other: str, limit: int) -> int:
    """Return the edits between two texts (a swap of neighbours is one), or more than `limit`.

    Optimal string alignment, after L. Boytsov, "Indexing methods for approximate dictionary searching".
    """
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
        if min(last) > limit:
            return limit + 1
    return last[-1]
