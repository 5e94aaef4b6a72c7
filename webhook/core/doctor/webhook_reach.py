"""Webhook entries that match too much, so that an outage of ours would stop others.

Reads: the two webhook configurations, and labels of namespaces.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.entries import Entry, Expected, entries, expected_of
from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.raw import as_text
from webhook.core.text import list_of
from webhook.core.values.label_selector import read_label_selector
from webhook.core.values.names import GROUP

TOO_WIDE: Final = "WebhookTooWide"
TOO_PATIENT: Final = "WebhookTooPatient"

KUBE_SYSTEM: Final = "kube-system"
# The API server gives a whole request 34 s at most; ours answers in milliseconds.
MAX_TIMEOUT_SECONDS: Final = 10
_DEFAULT_TIMEOUT_SECONDS: Final = 10


def webhook_reach(facts: Facts) -> Iterator[Finding]:
    """Find entries that stand in the way of others."""
    for entry in entries(facts):
        wanted = expected_of(entry)
        if wanted is not None:
            yield from _of_entry(facts, entry, wanted)


def selects(facts: Facts, entry: Entry, namespace: str) -> bool:
    """Whether the entry looks at objects of a namespace. A selector that cannot be read selects."""
    labels = {"kubernetes.io/metadata.name": namespace, **facts.namespace_labels.get(namespace, {})}
    return read_label_selector(entry.raw.get("namespaceSelector") or {}, "", []).matches(labels)


def _of_entry(facts: Facts, entry: Entry, wanted: Expected) -> Iterator[Finding]:
    if wanted.has_conditions and not entry.raw.get("matchConditions"):
        text = "it has no matchConditions: every object of its kinds goes through the webhook"
        yield error(
            TOO_WIDE, entry.place, text, "helm upgrade writes them; the chart's conditions are the rule"
        )
    is_namespaced = all(group != GROUP for group, _ in wanted.sees)
    own = as_text(entry.service.get("namespace"))
    stopped = [name for name in (KUBE_SYSTEM, own) if name and selects(facts, entry, name)]
    if is_namespaced and entry.refuses_when_down and stopped:
        text = f"it is in force in {list_of(stopped)}: an outage could keep what mends it from starting"
        remedy = "have namespaceSelector leave it out, as the chart does (webhook.excludedNamespaces)"
        yield error(TOO_WIDE, entry.place, text, remedy)
    seconds = entry.raw.get("timeoutSeconds", _DEFAULT_TIMEOUT_SECONDS)
    if isinstance(seconds, int) and seconds > MAX_TIMEOUT_SECONDS:
        text = f"timeoutSeconds is {seconds}: whoever creates what it matches waits for so long in an outage"
        yield warning(
            TOO_PATIENT, entry.place, text, "set webhook.timeoutSeconds to 3 and 5, as the chart does"
        )
