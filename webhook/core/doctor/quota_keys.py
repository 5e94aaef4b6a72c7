"""Keys of quotas that limit nothing: other spellings than the one that the API server enforces, and names
that are no class.

Reads: spec.hard of quotas, and the names of classes. A bare name is not looked for, as the API
server stores none.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts, title
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.raw import at
from webhook.core.values.names import STORED_PREFIX, class_of_any_quota_spelling, is_class_name, quota_key

NOT_ENFORCED: Final = "QuotaKeyNotEnforced"
UNKNOWN_CLASS: Final = "QuotaOfUnknownClass"


def quota_keys(facts: Facts) -> Iterator[Finding]:
    """Find keys that are meant for a class and limit nothing."""
    for quota in facts.of("ResourceQuota"):
        place = title("ResourceQuota", quota)
        for key in at(quota, "spec", "hard"):
            name = class_of_any_quota_spelling(key)
            if name is None or not (STORED_PREFIX in key or facts.classes.exists(name)):
                continue
            if not facts.classes.exists(name):
                yield _unknown(facts, place, key, name)
            elif key not in (quota_key(name), name):
                text = f"{key} limits nothing: the API server enforces {quota_key(name)} alone"
                remedy = f"write {quota_key(name)} instead; while admission works it is rewritten at apply"
                yield error(NOT_ENFORCED, place, text, remedy)


def _unknown(facts: Facts, place: str, key: str, name: str) -> Finding:
    near = facts.classes.closest(name) if is_class_name(name) else None
    text = f'{key} limits nothing: there is no class "{name}"'
    remedy = f"write {quota_key(near)} if {near} is meant" if near else "remove the key, or create the class"
    return warning(UNKNOWN_CLASS, place, text, remedy)
