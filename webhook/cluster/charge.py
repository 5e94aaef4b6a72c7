"""What a pod costs a ResourceQuota, for a cluster without a quota controller.

The keys and the arithmetic are those of pkg/quota/v1/evaluator/core/pods.go and
component-helpers/resource/helpers.go of Kubernetes 1.36: the larger of what runs at once (containers and
sidecars) and the most demanding init step, with pod-level resources and overhead.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from webhook.core.raw import as_mapping, at
from webhook.core.validate.scopes import counts
from webhook.core.values.containers import CONTAINERS, INIT_CONTAINERS, LIMITS, REQUESTS, containers
from webhook.core.values.names import Json
from webhook.core.values.quantity import NANOS, BadQuantity, Quantity, parse_quantity
from webhook.core.values.usage import FINISHED

Amounts = Counter[str]
"""Resource name to nanos."""

_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")


def used_of(quota: Json, pods: Iterable[Json]) -> dict[str, Any]:
    """Return what `pods` use of each key in a quota's `hard`, as canonical texts."""
    total: Amounts = Counter()
    for pod in pods:
        if counts(quota, pod):
            total.update(cost_of(pod))
    return {key: str(Quantity(total[key])) for key in at(quota, "spec", "hard")}


def plus(one: Mapping[str, Any], other: Any) -> dict[str, str]:
    """Add two maps of quantities; what is no map adds nothing."""
    one_nanos, other_nanos = _nanos(one), _nanos(other)
    return {key: str(Quantity(one_nanos[key] + other_nanos[key])) for key in {**one_nanos, **other_nanos}}


def cost_of(pod: Json) -> Amounts:
    """Return what a pod adds to each quota key, in nanos; a finished pod only counts as an object."""
    cost: Amounts = Counter({"count/pods": NANOS})
    if at(pod, "status").get("phase") in FINISHED:
        return cost
    cost["pods"] = NANOS
    requests, limits = _effective(pod, REQUESTS), _effective(pod, LIMITS)
    for name, amount in requests.items():
        cost[f"requests.{name}"] = amount
        if name in _COMPUTE or name.startswith("hugepages-"):
            cost[name] = amount
    cost.update({f"limits.{name}": limits[name] for name in _COMPUTE if name in limits})
    return cost


def _effective(pod: Json, field: str) -> Amounts:
    spec = at(pod, "spec")
    running: Amounts = Counter()
    peak: Amounts = Counter()
    for ref in containers(spec, INIT_CONTAINERS):
        amounts = _asked(ref.container, field)
        peak |= running + amounts
        if ref.is_sidecar:
            running += amounts
    for ref in containers(spec, CONTAINERS):
        running += _asked(ref.container, field)
    whole = peak | running
    for name, amount in _asked(spec, field).items():
        whole[name] = amount
    for name, amount in _nanos(spec.get("overhead")).items():
        if field == REQUESTS or name in whole:
            whole[name] += amount
    return whole


def _asked(holder: Json, field: str) -> Amounts:
    """Return limits or requests of a container or a pod spec, the requests completed from the limits."""
    resources = at(holder, "resources")
    amounts = _nanos(resources.get(field))
    if field == REQUESTS:
        amounts = Counter({**_nanos(resources.get(LIMITS)), **amounts})
    return amounts


def _nanos(amounts: Any) -> Amounts:
    read: Amounts = Counter()
    for name, value in as_mapping(amounts).items():
        try:
            read[name] = parse_quantity(value).nanos
        except BadQuantity:
            continue
    return read
