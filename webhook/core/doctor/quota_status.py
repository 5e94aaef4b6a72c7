"""Quotas whose status is not computed: the API server enforces nothing by them, and the webhook refuses pods.

Reads: spec.hard and status.hard of quotas, the keys of classes.
"""

from collections.abc import Iterator
from typing import Any, Final

from webhook.core.doctor.facts import Facts, title
from webhook.core.doctor.finding import Finding, error
from webhook.core.raw import at
from webhook.core.text import list_of
from webhook.core.values.names import class_of_quota_key
from webhook.core.values.quantity import BadQuantity, parse_quantity

NOT_COMPUTED: Final = "QuotaNotComputed"
_MOST: Final = 4


def quota_status(facts: Facts) -> Iterator[Finding]:
    """Find quotas of classes whose status does not say what their spec does."""
    for quota in facts.of("ResourceQuota"):
        hard, computed = at(quota, "spec", "hard"), at(quota, "status", "hard")
        late = [
            key
            for key, value in hard.items()
            if class_of_quota_key(key) and _differ(value, computed.get(key))
        ]
        if late:
            text = f"its status does not have {list_of(late, _MOST)} as its spec does: pods of it are refused"
            remedy = (
                "see whether kube-controller-manager runs: its resourcequota controller computes the status"
            )
            yield error(NOT_COMPUTED, title("ResourceQuota", quota), text, remedy)


def _differ(wanted: Any, computed: Any) -> bool:
    if computed is None:
        return True
    try:
        return parse_quantity(wanted) != parse_quantity(computed)
    except BadQuantity:
        return True
