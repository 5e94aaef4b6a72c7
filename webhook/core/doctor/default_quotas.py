"""Namespaces without the quota that follows from `spec.quota.default` of a class.

Reads: namespaces, quotas and classes, and asks the controller's own rule.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.inventory.default_quota import NOT_OURS, default_quota
from webhook.core.raw import at, name_of
from webhook.core.text import list_of
from webhook.core.values.names import DEFAULT_QUOTA

MISSING: Final = "DefaultQuotaMissing"
_MOST: Final = 4


def default_quotas(facts: Facts) -> Iterator[Finding]:
    """Find namespaces in which a default does not limit yet: pods of these classes are refused there."""
    for namespace in facts.of("Namespace"):
        name = name_of(namespace)
        plan = default_quota(namespace, facts.quotas_of_namespace.get(name, ()), facts.classes)
        wanted = at(plan.create or plan.patch or {}, "spec", "hard")
        missing = [key for key, value in wanted.items() if value is not None]
        if plan.warning:
            remedy = f"rename the quota {DEFAULT_QUOTA}, or name the keys in it"
            yield error(NOT_OURS, f"namespace {name}", plan.warning, remedy)
        elif missing:
            text = f"ResourceQuota {DEFAULT_QUOTA} lacks {list_of(missing, _MOST)} or has an old value"
            remedy = "see whether the controller runs and may write quotas (kubectl logs)"
            yield error(MISSING, f"namespace {name}", text, remedy)
