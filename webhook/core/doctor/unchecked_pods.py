"""Class pods in namespaces that admission does not look at: their quota and their final state are not judged.

Reads: the validating configuration, labels of namespaces, and the unfinished pods.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.entries import entries
from webhook.core.doctor.facts import VALIDATING, Facts
from webhook.core.doctor.finding import Finding, warning
from webhook.core.doctor.webhook_reach import selects
from webhook.core.text import list_of
from webhook.core.values.names import WEBHOOK_LABEL

UNCHECKED: Final = "UncheckedPods"
_MOST: Final = 4


def unchecked_pods(facts: Facts) -> Iterator[Finding]:
    """Find namespaces that are left out and hold pods of classes."""
    validating = [entry for entry in entries(facts, VALIDATING) if entry.name == "pods"]
    pods: dict[str, list[str]] = {}
    for pod in facts.pods:
        if pod.spec:
            pods.setdefault(pod.namespace, []).append(pod.name)
    for namespace, held in sorted(pods.items()):
        if validating and not any(selects(facts, entry, namespace) for entry in validating):
            text = f"admission leaves it out, and pods there ask for classes: {list_of(sorted(held), _MOST)}"
            remedy = (
                f"remove the label {WEBHOOK_LABEL}: ignore or the name from webhook.excludedNamespaces, or "
                "move the pods; the ResourceQuota of the API server holds there all the same"
            )
            yield warning(UNCHECKED, f"namespace {namespace}", text, remedy)
