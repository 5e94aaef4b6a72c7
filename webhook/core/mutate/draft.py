"""An object on its way through the rules of mutation.

The object that came in is never edited: a change copies the maps and lists on its path and no more, so
that the differ, which compares by identity first, sees at once what was left alone.
"""

from typing import Any

from webhook.core.outcome import Change, Fault, Outcome, Path, Reason
from webhook.core.raw import at
from webhook.core.values.containers import CONTAINERS, INIT_CONTAINERS, ContainerRef, containers
from webhook.core.values.names import Json


class Draft:
    """The object as it stands after the rules so far, with what they found."""

    def __init__(self, original: Json) -> None:
        self.original = original
        self.object = original
        self.changes: list[Change] = []
        self._looked_at: tuple[Any, Any] = (None, None)
        self._containers: tuple[ContainerRef, ...] = ()
        # Maps for their keys, which keep their order: an object may have tens of thousands of faults, and
        # each is looked for among those before it.
        self._warnings: dict[str, None] = {}
        self._faults: dict[Fault, None] = {}

    def containers(self, spec_path: tuple[str, ...] = ("spec",)) -> tuple[ContainerRef, ...]:
        """Return the containers of the pod spec as it stands now; it looks again only after a change."""
        spec = at(self.object, *spec_path)
        lists = spec.get(INIT_CONTAINERS), spec.get(CONTAINERS)
        if lists[0] is not self._looked_at[0] or lists[1] is not self._looked_at[1]:
            self._looked_at, self._containers = lists, tuple(containers(spec))
        return self._containers

    def put(self, path: Path, value: Any, what: str, why: str) -> None:
        """Set what stands at `path`; parents that are absent or null become maps."""
        self.object = with_value(self.object, path, value)
        self.changes.append(Change(path, what, why))

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
    parents = []
    for step in path:
        parents.append(node)
        node = node[step] if isinstance(step, int) else (node or {}).get(step)
    for step, parent in zip(reversed(path), reversed(parents), strict=True):
        copy: Any = list(parent) if isinstance(step, int) else dict(parent or {})
        copy[step] = value
        value = copy
    return value
