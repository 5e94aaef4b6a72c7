"""Refuses a class pod that names its node itself: `spec.nodeName`.

Such a pod passes by every scheduler, so nobody would choose devices for it: it would start without one, or
the kubelet would refuse it. Mirror pods of static pods never get here. Reads `spec.nodeName`.
"""

from collections.abc import Iterator

from webhook.core.outcome import Fault, Reason
from webhook.core.raw import at
from webhook.core.text import list_of
from webhook.core.values.demand import Demand
from webhook.core.values.names import Json


def node_name(pod: Json, demand: Demand) -> Iterator[Fault]:
    """Yield a fault for a pod that asks for devices and sets `spec.nodeName`."""
    node = at(pod, "spec").get("nodeName")
    if demand and node:
        yield Fault(
            Reason.NODE_NAME,
            f"spec.nodeName is set to {node} by hand, which passes by the scheduler, so no device of "
            f"{list_of(demand.units)} would be chosen for the pod: leave nodeName out and pin the pod with "
            f"nodeSelector kubernetes.io/hostname: {node} instead",
        )
