"""Two checks that every map of amounts goes through: names that are nearly a class, and bad amounts.

`where` is how a message begins: the container, the ResourceQuota or the LimitRange.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from webhook.core.mutate.draft import Draft
from webhook.core.outcome import Reason
from webhook.core.values.quantity import BadQuantity, parse_amount


def refuse_near_names(draft: Draft, where: str, keys: Iterable[str], slips: Mapping[str, str]) -> None:
    """Refuse a bare key that is no class and looks like a slip of one. `slips` says of which.

    Any other bare key that is no class is left to the API server. Its answer to a slip ("must be a standard
    resource type or fully qualified") would not say which name was meant.
    """
    for key in keys:
        if key in slips:
            draft.fault(Reason.UNKNOWN_CLASS, f'{where}: "{key}" is no class; did you mean {slips[key]}?')


def refuse_bad_amount(draft: Draft, where: str, typed: str, value: Any) -> None:
    """Refuse an amount that counts no devices. `typed` is the key as its user wrote it."""
    try:
        parse_amount(value)
    except BadQuantity as error:
        draft.fault(Reason.BAD_AMOUNT, f"{where}: {typed}: {error}")
