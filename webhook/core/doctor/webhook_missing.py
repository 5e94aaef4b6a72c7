"""Webhook configurations that miss: not installed, entries or kinds left out, failures ignored.

Reads: the two webhook configurations.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.entries import EXPECTED, Entry, Expected, entries, expected_of
from webhook.core.doctor.facts import MUTATING, Facts
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.raw import as_list, as_mapping
from webhook.core.text import list_of

MISSING: Final = "WebhookMissing"
INCOMPLETE: Final = "WebhookIncomplete"
IGNORES: Final = "WebhookIgnoresFailure"

_REMEDY: Final = "helm upgrade writes it as the chart has it"


def webhook_missing(facts: Facts) -> Iterator[Finding]:
    """Find what admission does not see."""
    for kind, expected in EXPECTED.items():
        present = {entry.name for entry in entries(facts, kind)}
        if not present:
            effect = "bare names are refused" if kind == MUTATING else "no pod and no class is checked"
            yield error(MISSING, kind, f"no configuration of ours is installed: {effect}", _REMEDY)
        for name in expected if present else ():
            if name not in present:
                yield error(MISSING, kind, f"it has no entry {name}.resourceclass.io", _REMEDY)
    for entry in entries(facts):
        wanted = expected_of(entry)
        if wanted is not None:
            yield from _of_entry(entry, wanted)


def _of_entry(entry: Entry, wanted: Expected) -> Iterator[Finding]:
    unseen = [
        f"{operation} of {resource}"
        for (group, resource), operations in wanted.sees.items()
        for operation in operations
        if not _sees(entry, group, resource, operation)
    ]
    if unseen:
        yield error(INCOMPLETE, entry.place, f"its rules do not have {list_of(unseen)}", _REMEDY)
    if not entry.refuses_when_down and not wanted.is_advice:
        text = "failurePolicy is Ignore: while no replica answers, what it matches passes unchecked"
        yield warning(
            IGNORES, entry.place, text, "after a trial set webhook.failurePolicy: Fail in the chart"
        )


def _sees(entry: Entry, group: str, resource: str, operation: str) -> bool:
    return any(
        _has(rule.get("apiGroups"), group)
        and _has(rule.get("resources"), resource)
        and _has(rule.get("operations"), operation)
        for rule in map(as_mapping, as_list(entry.raw.get("rules")))
    )


def _has(listed: object, wanted: str) -> bool:
    return not {wanted, "*", "*/*"}.isdisjoint(item for item in as_list(listed) if isinstance(item, str))
