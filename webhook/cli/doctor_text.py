"""How `resourceclass doctor` writes its answer: each problem with its place and its remedy; and JSON."""

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Final

import orjson

from webhook.cli.tables import printable
from webhook.core.doctor.checks import Diagnosis
from webhook.core.doctor.finding import Finding
from webhook.core.text import list_of, plural
from webhook.core.values.names import Json

_MAX_WIDTH: Final = 110
_INDENT: Final = "  "
# Of one rule. A controller that stands still is told of by thousands of nodes.
_MOST_PLACES: Final = 5


def as_text(found: Diagnosis) -> str:
    """Return the answer for people: first how bad it is."""
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH)
    lines = [_headline(found)]
    for _, group in groupby(found.findings, key=lambda item: (item.severity, item.rule)):
        findings = list(group)
        for finding in findings[:_MOST_PLACES]:
            lines += ["", *_lines(finding, width)]
        if len(findings) > _MOST_PLACES:
            more = len(findings) - _MOST_PLACES
            lines += ["", f"{findings[0].rule}: {more} more, which -o json lists"]
    return "\n".join([*lines, *_left_out(found, width)])


def _left_out(found: Diagnosis, width: int) -> Iterator[str]:
    """Yield what was not checked, under the first kind that was lacking for it."""
    by_kind: dict[str, list[str]] = {}
    for item in found.left_out:
        by_kind.setdefault(item.kinds[0], []).append(item.what)
    yield from ["", "Not checked:"] if by_kind else []
    for kind, checks in by_kind.items():
        yield from _wrapped(f"without {kind}: {', '.join(checks)}", "", width)


def _headline(found: Diagnosis) -> str:
    if not found.checks:
        return f"nothing was checked: none of {len(found.left_out)} checks could be made"
    checks = plural(found.checks, "check")
    left_out = f", {len(found.left_out)} could not be made" if found.left_out else ""
    if not found.findings:
        return f"no problem found by {checks}{left_out}"
    counts = Counter(item.severity.value for item in found.findings)
    listed = list_of(plural(count, severity) for severity, count in counts.items())
    return f"{listed} found by {checks}{left_out}"


def _lines(finding: Finding, width: int) -> Iterator[str]:
    yield printable(f"{finding.severity.value.upper()} {finding.rule}: {finding.place}")
    yield from _wrapped(finding.problem, "", width)
    yield from _wrapped(finding.remedy, "-> ", width)


def _wrapped(text: str, mark: str, width: int) -> list[str]:
    return textwrap.wrap(
        printable(text),
        width,
        initial_indent=_INDENT + mark,
        subsequent_indent=_INDENT + " " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )


def as_json(found: Diagnosis) -> str:
    """Return one JSON document; docs/configuration.md has its fields."""
    document = {
        "checks": found.checks,
        "findings": [_entry(finding) for finding in found.findings],
        "notChecked": [{"check": item.what, "lacks": list(item.kinds)} for item in found.left_out],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()


def _entry(finding: Finding) -> Json:
    return {
        "severity": finding.severity.value,
        "rule": finding.rule,
        "place": finding.place,
        "problem": finding.problem,
        "remedy": finding.remedy,
    }
