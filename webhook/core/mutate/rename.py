"""The spellings of a class in a map of amounts, and the one that is stored.

Reads and changes: a map of resource name to amount, such as limits or hard. Of several spellings of one
class the one that people type wins over the stored one, because it is what was just applied; `kubectl
apply` sends it beside the one stored earlier. Spellings are never added up.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.names import Json

STORED_RANK: Final = 9


class Spelling(NamedTuple):
    """One key that may name a class: the class, the key as stored, and its rank (the lowest wins).

    `in_domain` says that the key can mean nothing but a class, whether that exists or not.
    """

    class_name: str
    stored: str
    rank: int
    in_domain: bool


Speller = Callable[[str], Spelling | None]


class Renamed(NamedTuple):
    """A map of amounts as it should be stored. `typed` says how each stored key of a class was written."""

    amounts: Json
    typed: Mapping[str, str]

    @property
    def renames(self) -> Mapping[str, str]:
        """The keys as typed and as stored, of those that differ."""
        return {typed: stored for stored, typed in self.typed.items() if typed != stored}


def container_spelling(key: str) -> Spelling | None:
    """Read a key of a container's limits or requests, or of a LimitRange."""
    if key in names.STANDARD_NAMES:
        return None
    stored = names.class_of_stored_key(key)
    if stored is not None:
        return Spelling(stored, key, STORED_RANK, in_domain=True)
    return Spelling(key, names.stored_key(key), 0, in_domain=False) if names.is_bare_candidate(key) else None


def quota_spelling(key: str) -> Spelling | None:
    """Read a key of a quota. The less a spelling looks like the stored one, the more it was meant."""
    name = names.class_of_any_quota_spelling(key)
    if name is None:
        return None
    stored = names.quota_key(name)
    meant = (name, f"requests.{name}", names.stored_key(name), f"limits.{name}")
    rank = STORED_RANK if key == stored else (*meant, key).index(key)
    return Spelling(name, stored, rank, in_domain=names.STORED_PREFIX in key)


def rename(amounts: Mapping[str, Any], spell: Speller, renames: Callable[[Spelling], bool]) -> Renamed:
    """Return the amounts with every spelling that `renames` accepts replaced by the stored one."""
    spelled = {key: found for key in amounts if (found := spell(key)) is not None}
    if not spelled:
        return Renamed(dict(amounts), {})
    if all(found.rank == STORED_RANK for found in spelled.values()):
        return Renamed(dict(amounts), {key: key for key in spelled})  # as in all objects that are stored
    known = {key: found for key, found in spelled.items() if found.rank == STORED_RANK or renames(found)}
    typed: dict[str, str] = {}
    for key, found in sorted(known.items(), key=lambda item: item[1].rank):
        typed.setdefault(found.stored, key)
    kept = {
        known[key].stored if key in known else key: value
        for key, value in amounts.items()
        if key not in known or typed[known[key].stored] == key
    }
    return Renamed(kept, typed)


def of_existing(classes: Classes) -> Callable[[Spelling], bool]:
    """Return the test that a spelling names a class that exists, readable or not."""
    return lambda spelling: classes.exists(spelling.class_name)
