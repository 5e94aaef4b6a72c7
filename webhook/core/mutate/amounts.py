"""Amounts that cannot count devices, and limits and requests that disagree.

Reads: the stored class keys of limits and requests; changes nothing. The API server finds most of these
faults as well, but under the stored key: whoever typed `nvidia.tesla.k80` is told about that. Fractions
are refused, never rounded.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from webhook.core.mutate.draft import Draft
from webhook.core.mutate.requests import Renaming, SpecPath
from webhook.core.outcome import Reason
from webhook.core.values import names
from webhook.core.values.containers import ContainerRef
from webhook.core.values.quantity import BadQuantity, parse_amount


def check_amounts(draft: Draft, spec_path: SpecPath, renamed: Iterable[Renaming]) -> None:
    """Refuse what is no number of devices; messages name the container and the key as it was typed."""
    typed = {(item.ref.path, item.stored): item.typed for item in renamed}
    for ref in draft.containers(spec_path):
        if ref.is_plain:
            continue
        for key in dict.fromkeys((*ref.limits, *ref.requests)):
            if names.class_of_stored_key(key) is not None:
                shown = typed.get((ref.path, key), key)
                for problem in _problems(key, ref.limits, ref.requests):
                    draft.fault(Reason.BAD_AMOUNT, _message(ref, shown, problem))


def _problems(key: str, limits: Mapping[str, Any], requests: Mapping[str, Any]) -> list[str]:
    problems, amounts = [], []
    for field in (limits, requests):
        try:
            amounts.append(parse_amount(field[key]) if key in field else None)
        except BadQuantity as error:
            problems.append(str(error))
    if not problems:
        limit, request = amounts
        if limit is None and request:
            problems.append(f"requests ask for {request} and limits for none; set limits alone")
        elif limit is not None and request is not None and limit != request:
            problems.append(
                f"limits ask for {limit} and requests for {request}; devices are not over-committed, "
                "so set limits alone"
            )
    return problems


def _message(ref: ContainerRef, key: str, problem: str) -> str:
    return f"{ref.title}: {key}: {problem}"
