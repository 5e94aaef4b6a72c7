"""Shared pieces of the text of answers, so that every refusal and warning reads alike."""

from collections.abc import Iterable
from typing import Final

# The API server keeps 4,096 runes of warnings in all and then cuts each at 256 (apiserver,
# pkg/endpoints/filters/warning.go).
WARNING_MAX_LENGTH: Final = 256


def plural(count: int, noun: str) -> str:
    """Return `count` with its noun: `1 device`, `2 devices`, `0 classes`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}{'es' if noun.endswith('s') else 's'}"


def list_of(names: Iterable[str], most: int | None = None) -> str:
    """Join names for a sentence: `a`, `a and b`, `a, b and c`; beyond `most` names `a, b and 3 more`."""
    listed = list(names)
    if most is not None and len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most} more"
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} and {listed[-1]}"


def shorten(text: str, most: int = WARNING_MAX_LENGTH) -> str:
    """Return `text` in at most `most` characters, cut between words where it can be and marked with `…`."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    # A single word longer than half the room is cut itself: better half a name than half a sentence.
    return (cut[:space] if space > most // 2 else cut).rstrip(" ,;:") + "…"
