"""All ResourceClasses of a cluster at one moment, the unreadable ones with what is wrong with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Final, TypeVar

from webhook.core.raw import as_mapping, as_text
from webhook.core.values import spelling
from webhook.core.values.names import Json
from webhook.core.values.resource_class import BadClass, ResourceClass, parse_resource_class

T = TypeVar("T")

# To compare a text with a class takes up to 50 us. No manifest has more slips of the pen than this, and one
# that holds thousands of unknown names must not keep the process from all other requests.
MAX_COMPARED: Final = 32


@dataclass(frozen=True, slots=True)
class Classes:
    """An immutable set of classes by name. One that cannot be read is in `broken`, not in the set."""

    readable: Mapping[str, ResourceClass] = field(default_factory=dict)
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, objects: Iterable[Json]) -> "Classes":
        """Read ResourceClass objects; one without a name is passed over."""
        readable: dict[str, ResourceClass] = {}
        broken: dict[str, tuple[str, ...]] = {}
        for obj in objects:
            name = _name_of(obj)
            if name is None:
                continue
            readable.pop(name, None)
            broken.pop(name, None)
            try:
                readable[name] = parse_resource_class(obj)
            except BadClass as error:
                broken[name] = error.problems
        return cls(MappingProxyType(readable), MappingProxyType(broken))

    def with_object(self, obj: Json) -> "Classes":
        """Return these classes with one more, which replaces the one of the same name."""
        added = Classes.of([obj])
        renewed = {*added.readable, *added.broken}
        return Classes(
            MappingProxyType({**_without(self.readable, renewed), **added.readable}),
            MappingProxyType({**_without(self.broken, renewed), **added.broken}),
        )

    def without(self, name: str) -> "Classes":
        """Return these classes without one, which need not be among them."""
        if not self.exists(name):
            return self
        return Classes(
            MappingProxyType(_without(self.readable, {name})), MappingProxyType(_without(self.broken, {name}))
        )

    def get(self, name: str) -> ResourceClass | None:
        """Return a readable class, or None."""
        return self.readable.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self.readable

    def exists(self, name: str) -> bool:
        """Whether there is a class of this name, readable or not."""
        return name in self.readable or name in self.broken

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the readable classes, sorted."""
        return tuple(sorted(self.readable))

    def all(self) -> tuple[ResourceClass, ...]:
        """The readable classes, sorted by name."""
        return tuple(self.readable[name] for name in self.names)

    def closest(self, text: str) -> str | None:
        """Return the class that `text` is a slip of the pen away from, or None."""
        return spelling.closest(text, (*self.readable, *self.broken))

    def slips(self, texts: Iterable[str]) -> dict[str, str]:
        """Return text to class of those that are no class, but a slip of the pen away from one.

        Of the texts that are no class, the first MAX_COMPARED are compared.
        """
        unknown = dict.fromkeys(text for text in texts if not self.exists(text))
        meant = {text: self.closest(text) for text in islice(unknown, MAX_COMPARED)}
        return {text: name for text, name in meant.items() if name is not None}


def _name_of(obj: Json) -> str | None:
    return as_text(as_mapping(obj.get("metadata")).get("name")) or None


def _without(mapping: Mapping[str, T], gone: set[str]) -> dict[str, T]:
    return {name: value for name, value in mapping.items() if name not in gone}
