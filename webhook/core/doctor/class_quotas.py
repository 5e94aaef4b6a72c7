"""Quotas that can be evaded: a class is limited in a namespace, and another one with the same devices is not.

Reads: classes, devices, quotas and labels of namespaces.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, warning
from webhook.core.raw import at
from webhook.core.text import list_of
from webhook.core.values.names import class_of_quota_key, quota_key

EVADED: Final = "QuotaEvaded"
_MOST: Final = 4


def class_quotas(facts: Facts) -> Iterator[Finding]:
    """Find for each namespace the classes without a limit by which a limit of it can be evaded."""
    overlaps = _overlaps(facts)
    for namespace, quotas in facts.quotas_of_namespace.items():
        keys = (key for quota in quotas for key in at(quota, "spec", "hard"))
        limited = {name for key in keys if (name := class_of_quota_key(key))}
        labels = facts.namespace_labels.get(namespace, {})
        for name, others in sorted(overlaps.items()):
            evaded = sorted(others & limited)
            if evaded and name not in limited and _is_open(facts, name, labels):
                yield _finding(namespace, name, evaded)


def _overlaps(facts: Facts) -> dict[str, set[str]]:
    """Return by class those with which it has a device in common."""
    sets = {facts.membership.of(device.properties) for device in facts.devices}
    found: dict[str, set[str]] = {}
    for one, other in (pair for names in sets for pair in permutations(names, 2)):
        found.setdefault(one, set()).add(other)
    return found


def _is_open(facts: Facts, name: str, labels: Mapping[str, str]) -> bool:
    """Whether a namespace may use a class without limit. A default limits it, or default_quotas.py tells."""
    known = facts.classes.get(name)
    return (
        known is not None
        and known.quota_default is None
        and (known.namespaces is None or known.namespaces.matches(labels))
    )


def _finding(namespace: str, name: str, evaded: Collection[str]) -> Finding:
    text = (
        f"its quota limits {list_of(evaded, _MOST)}, and nothing limits {name}, which has devices in common "
        "with it"
    )
    remedy = (
        f"add {quota_key(name)} to the quota, keep the namespace from the class with spec.namespaces, or set "
        "spec.quota.default of the class"
    )
    return warning(EVADED, f"namespace {namespace}", text, remedy)
