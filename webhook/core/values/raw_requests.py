"""What a pod asks of extended resources that are no classes: what a vendor's device plugin counts."""

from collections import Counter
from collections.abc import Container, Iterator
from typing import Any, Final

from webhook.core.values.containers import INIT_CONTAINERS, LIMITS, REQUESTS, ContainerRef, containers
from webhook.core.values.names import STORED_PREFIX
from webhook.core.values.quantity import BadQuantity, parse_amount

_KUBERNETES: Final = "kubernetes.io"


def raw_requests(pod_spec: Any, known: Container[str] = ()) -> dict[str, int]:
    """Return what a pod asks of extended resources that are no classes.

    The greater of what runs at once and of the largest init container, as Kubernetes counts. `known` are
    containers whose devices a record names: their environment shows them these and no other.
    """
    running: Counter[str] = Counter()
    largest: Counter[str] = Counter()
    for ref in containers(pod_spec):
        if ref.name in known:
            continue
        amounts = Counter(dict(_raw_amounts(ref)))
        if ref.kind == INIT_CONTAINERS and not ref.is_sidecar:
            largest |= running + amounts
        else:
            running += amounts
    return dict(running | largest)


def is_raw_resource(name: str) -> bool:
    """Whether this is the name of an extended resource that is no class."""
    domain, slash, _ = name.partition("/")
    return bool(slash) and not name.startswith(STORED_PREFIX) and not domain.endswith(_KUBERNETES)


def _raw_amounts(ref: ContainerRef) -> Iterator[tuple[str, int]]:
    amounts = {**ref.amounts(REQUESTS), **ref.amounts(LIMITS)}
    for name, value in amounts.items():
        if is_raw_resource(name):
            try:
                yield name, parse_amount(value)
            except BadQuantity:
                continue
