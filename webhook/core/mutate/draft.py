"""An object on its way through the rules of mutation.

The object that came in is never edited: a change copies the maps and lists on its path and no more, so
that the differ, which compares by identity first, sees at once what was left alone.
"""

from typing import Any

from webhook.core.outcome import Change, Fault, Outcome, Reason
from webhook.core.values.names import Json

Path = tuple[str | int, ...]


class Draft:
    """The object as it stands after the rules so far, with what they found."""

    def __init__(self, original: Json) -> None:
        self.original = original
        self.object = original
        self.changes: list[Change] = []
        # Maps for their keys, which keep their order: an object may have tens of thousands of faults, and
        # each is looked for among those before it.
        self._warnings: dict[str, None] = {}
        self._faults: dict[Fault, None] = {}

    def put(self, path: Path, value: Any, what: str, why: str) -> None:
        """Set what stands at `path`; parents that are absent or null become maps."""
        self.object = with_value(self.object, path, value)
        self.changes.append(Change(place(path), what, why))

    def warn(self, text: str) -> None:
        """Add a warning, once."""
        self._warnings[text] = None

    def fault(self, reason: Reason, message: str) -> None:
        """Add a fault, once: the API server copies limits to requests, and one fault there is enough."""
        self._faults[Fault(reason, message)] = None

    def outcome(self) -> Outcome:
        """Return the answer: the changed object, or with faults the one that came in.

        Warnings tell what was changed, so with a refusal none of them is true.
        """
        if self._faults:
            return Outcome(self.original, faults=tuple(self._faults))
        return Outcome(self.object, tuple(self.changes), tuple(self._warnings))


def with_value(node: Any, path: Path, value: Any) -> Any:
    """Return `node` with `value` at `path`, sharing with the original all that is not on the path."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        items = list(node)
        items[step] = with_value(items[step], rest, value)
        return items
    return {**(node or {}), step: with_value((node or {}).get(step), rest, value)}


def place(path: Path) -> str:
    """Return a path as people write it: spec.containers[0].env."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
