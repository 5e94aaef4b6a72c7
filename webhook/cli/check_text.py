"""How the verdicts of `check` are written: for people, and as JSON."""

import difflib
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import orjson
import yaml

from webhook.admission.played.verdict import Verdict
from webhook.core.patch import diff
from webhook.core.raw import at
from webhook.core.text import plural
from webhook.core.values.names import Json

_MAX_WIDTH: Final = 100
_CONTEXT_LINES: Final = 2
_RED, _GREEN, _YELLOW, _PLAIN = "\033[31m", "\033[32m", "\033[33m", "\033[0m"


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on one object, and where the object stands, as `file:line`."""

    place: str
    verdict: Verdict

    @property
    def title(self) -> str:
        """What the object is called: `pod/train in team-a`."""
        document = self.verdict.document
        metadata = at(document, "metadata")
        where = f" in {metadata['namespace']}" if metadata.get("namespace") else ""
        return f"{str(document.get('kind')).lower()}/{metadata.get('name')}{where}"

    @property
    def changed(self) -> bool:
        """Whether it would be stored otherwise than it was written."""
        return self.verdict.document != self.verdict.received


def as_json(checked: Sequence[Checked]) -> str:
    """Return one JSON document with a list of verdicts."""
    return orjson.dumps({"results": [_entry(item) for item in checked]}, option=orjson.OPT_INDENT_2).decode()


def _entry(item: Checked) -> Json:
    verdict = item.verdict
    metadata = at(verdict.document, "metadata")
    return {
        "place": item.place,
        "kind": verdict.document.get("kind"),
        "namespace": metadata.get("namespace"),
        "name": metadata.get("name"),
        "admitted": verdict.admitted,
        "refusedBy": verdict.refused_by.value if verdict.refused_by else None,
        "code": verdict.code,
        "reason": verdict.reason,
        "message": verdict.message,
        "warnings": list(verdict.warnings),
        "changes": [
            {"place": change.place, "what": change.what, "why": change.why} for change in verdict.changes
        ],
        "patch": diff(verdict.received, verdict.document) if verdict.admitted else [],
    }


def as_text(checked: Sequence[Checked], *, colour: bool) -> str:
    """Return the verdicts as text, one paragraph each, and a closing line."""
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH)
    lines = [line for item in checked for line in _paragraph(item, width)]
    refused = sum(not item.verdict.admitted for item in checked)
    lines.append(f"{plural(len(checked), 'object')}: {len(checked) - refused} admitted, {refused} refused")
    return "\n".join(map(_coloured, lines) if colour else lines)


def _paragraph(item: Checked, width: int) -> Iterator[str]:
    verdict = item.verdict
    if verdict.admitted:
        yield f"{item.title}: admitted, {'changed' if item.changed else 'unchanged'} ({item.place})"
    else:
        said = f"{verdict.code} {verdict.reason}"
        yield f"{item.title}: refused by the {verdict.refused_by}, {said} ({item.place})"
        yield from _wrapped(verdict.message, "  ", width)
    for warning in verdict.warnings:
        yield from _wrapped(f"warning: {warning}", "  ", width)
    if verdict.admitted and item.changed:
        yield from (f"    {line}" for line in _difference(verdict.received, verdict.document))
        for change in verdict.changes:
            yield from _wrapped(f"- {change.what}: {change.why} ({change.place})", "  ", width)
    yield ""


def _wrapped(text: str, indent: str, width: int) -> Iterable[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _difference(before: Json, after: Json) -> Iterator[str]:
    """Yield a unified diff of two objects as YAML, without its header lines."""
    old, new = as_yaml(before).splitlines(), as_yaml(after).splitlines()
    for line in difflib.unified_diff(old, new, n=_CONTEXT_LINES, lineterm=""):
        if line.startswith(("---", "+++")):
            continue
        yield "..." if line.startswith("@@") else line


def as_yaml(document: Json) -> str:
    """Return an object as YAML, its keys in the order in which they were written."""
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_MAX_WIDTH)
    return text


class _Dumper(yaml.SafeDumper):
    """Writes what occurs twice twice: anchors are right, and nobody reads them."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _coloured(line: str) -> str:
    colour = next((colour for start, colour in _COLOURS if line.startswith(start)), "")
    if ": refused by" in line and not line.startswith(" "):
        colour = _RED
    return f"{colour}{line}{_PLAIN}" if colour else line


_COLOURS: Final = (("    +", _GREEN), ("    -", _RED), ("  warning:", _YELLOW))
