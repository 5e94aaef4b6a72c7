"""Which classes a device belongs to, worked out once per kind of device.

A cluster has thousands of devices of a few kinds, and a selector costs some microseconds per device (sizes
are parsed, models normalised). Only the properties that some selector reads can matter, so devices that agree
in those share one answer.
"""

from collections.abc import Hashable, Mapping

from webhook.core.values.classes import Classes


class Membership:
    """The classes of devices, for one set of classes. Answers are remembered; they never change."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes.all()
        self._keys = sorted(
            {part.key for item in self._classes for term in item.selector.terms for part in term}
        )
        self._known: dict[tuple[str | None, ...], tuple[str, ...]] = {}
        self._unreadable: dict[tuple[str | None, ...], Mapping[str, tuple[str, ...]]] = {}
        self._kinds: dict[Hashable, int] = {}

    def of(self, properties: Mapping[str, str]) -> tuple[str, ...]:
        """Return the names of the classes whose selector matches these properties, sorted."""
        kind = self._kind_of(properties)
        found = self._known.get(kind)
        if found is None:
            found = tuple(item.name for item in self._classes if item.selector.matches(properties))
            self._known[kind] = found
        return found

    def unreadable(self, properties: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
        """Return which values cannot be compared, with the reason, by the class that looks at them."""
        kind = self._kind_of(properties)
        found = self._unreadable.get(kind)
        if found is None:
            texts = {item.name: tuple(item.selector.unreadable(properties)) for item in self._classes}
            found = {name: values for name, values in texts.items() if values}
            self._unreadable[kind] = found
        return found

    def _kind_of(self, properties: Mapping[str, str]) -> tuple[str | None, ...]:
        return tuple(properties.get(key) for key in self._keys)

    def kind(self, traits: Hashable) -> int:
        """Return a number for what matters of a device beside its use, the same for equal traits."""
        return self._kinds.setdefault(traits, len(self._kinds))
