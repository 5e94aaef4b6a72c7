"""Judges what a pod asks for against the ResourceQuota objects of its namespace, as the API server will.

The API server's own plugin (apiserver/pkg/admission/plugin/resourcequota/controller.go, CheckRequest) is the
last word and is exact under concurrency. This rule comes earlier and says more, and it refuses only what the
plugin would refuse, with one addition: the plugin reads `status.hard`, and a limit not there yet limits
nothing. So while the status lacks a limit of the spec, or differs from it, the pod has to wait.

Reads `spec.hard`, `status.hard` and `status.used` of the quotas, under the stored key of each class.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webhook.core.raw import as_text, at
from webhook.core.validate.scopes import counts
from webhook.core.values.names import Json, quota_key
from webhook.core.values.quantity import NANOS, BadQuantity, Quantity, parse_quantity


@dataclass(frozen=True, slots=True)
class QuotaFinding:
    """One limit of one quota that a request does not fit, or (not `ready`) cannot be held to yet."""

    quota: str
    class_name: str
    requested: int
    used: Quantity
    limited: Quantity
    ready: bool

    @property
    def key(self) -> str:
        """The key of the class in the quota."""
        return quota_key(self.class_name)

    @property
    def left(self) -> int:
        """How many units the quota still has room for."""
        return max(0, (self.limited.nanos - self.used.nanos) // NANOS)


def judge(pod: Json, units: Mapping[str, int], quotas: Sequence[Json]) -> tuple[QuotaFinding, ...]:
    """Return every limit that `units` (per class) of `pod` would break, by quota and class.

    A request of zero is never charged, so it passes even where a namespace is over its limit already.
    """
    asked = {name: amount for name, amount in sorted(units.items()) if amount > 0}
    named = sorted(quotas, key=quota_name)
    return tuple(
        finding
        for quota in named
        if counts(quota, pod)
        for name, amount in asked.items()
        for finding in _judge_limit(quota, name, amount)
    )


def quota_name(quota: Json) -> str:
    """Return the name of a ResourceQuota."""
    return as_text(at(quota, "metadata").get("name"))


def limit_of(quota: Json, class_name: str) -> Quantity | None:
    """Return what `spec.hard` allows of a class; None where the quota does not name it."""
    return amount_of(at(quota, "spec", "hard"), class_name)


def _judge_limit(quota: Json, class_name: str, requested: int) -> Iterator[QuotaFinding]:
    limited = limit_of(quota, class_name)
    if limited is None:
        return
    used = amount_of(at(quota, "status", "used"), class_name)
    ready = used is not None and amount_of(at(quota, "status", "hard"), class_name) == limited
    used = used or Quantity(0)
    if not ready or used.nanos + requested * NANOS > limited.nanos:
        yield QuotaFinding(quota_name(quota), class_name, requested, used, limited, ready)


def amount_of(amounts: Json, class_name: str) -> Quantity | None:
    """Return the amount of a class in `hard` or `used`.

    One that cannot be read counts as absent, for the API server stores no such thing.
    """
    value: Any = amounts.get(quota_key(class_name))
    try:
        return None if value is None else parse_quantity(value)
    except BadQuantity:
        return None
