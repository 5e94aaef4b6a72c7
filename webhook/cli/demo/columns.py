"""Request and answer side by side."""

import difflib
import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from webhook.admission.played.verdict import Party, Verdict
from webhook.cli.check_text import as_yaml

WIDTH: Final = 100
_GAP: Final = " | "
_LEFT: Final = 42
_RIGHT: Final = WIDTH - _LEFT - len(_GAP)
_PLAYED: Final = {
    Party.WEBHOOK: "by the webhook",
    Party.SERVER: "by the API server (played)",
    Party.POLICY: "by the admission policy (played here; in a cluster the API server evaluates it)",
}


def side_by_side(verdict: Verdict) -> str:
    """Return what was sent on the left and what came of it on the right."""
    left = [line for text in as_yaml(verdict.sent).splitlines() for line in _cut(text, _LEFT)]
    right = list(_answer(verdict))
    return "\n".join(
        f"{one:<{_LEFT}}{_GAP}{other}".rstrip() for one, other in zip_longest(left, right, fillvalue="")
    )


def in_one_line(title: str, verdict: Verdict) -> str:
    """Return how a request ended."""
    ended = f"{verdict.code} {verdict.reason}" if verdict.refused_by else "201 Created"
    return f"   {ended:<13}  {title}"


def _answer(verdict: Verdict) -> Iterator[str]:
    if verdict.refused_by:
        yield from _wrapped(f"{verdict.code} {verdict.reason}, {_PLAYED[verdict.refused_by]}")
        yield from _wrapped(verdict.message)
        return
    changed = verdict.document != verdict.received
    yield "201 Created" if changed else "201 Created, stored as it was sent"
    for warning in verdict.warnings:
        yield from _wrapped(f"Warning: {warning}")
    if changed:
        yield ""
        yield from _stored(verdict)


def _stored(verdict: Verdict) -> Iterator[str]:
    """Yield the stored object, with a plus before what was not sent so."""
    before, after = as_yaml(verdict.sent).splitlines(), as_yaml(verdict.document).splitlines()
    for line in difflib.ndiff(before, after):
        mark, text = line[:2], line[2:]
        if mark in ("  ", "+ "):
            yield from (mark + part for part in _cut(text, _RIGHT - len(mark)))


def _cut(text: str, width: int) -> list[str]:
    """Cut a line of YAML that is too long; the rest follows below, indented like it."""
    indent = text[: len(text) - len(text.lstrip())] + "  "
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _RIGHT, subsequent_indent="  ", break_on_hyphens=False)
