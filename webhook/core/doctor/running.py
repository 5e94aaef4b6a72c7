"""Parts that do not run: no Deployment, no ready replica, nobody who holds the Lease.

Reads: our Deployments and Leases. A part with a held Lease runs, wherever it does.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts, title
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.doctor.parts import PARTS, SCHEDULER_DEPLOYMENT
from webhook.core.explain.scene import Lease
from webhook.core.raw import at
from webhook.core.values.names import Json

NOT_RUNNING: Final = "NotRunning"
FEW_REPLICAS: Final = "FewReplicas"
NO_LEADER: Final = "NoLeader"

_LOOK: Final = "kubectl describe and kubectl logs of its pods say why"


def running(facts: Facts) -> Iterator[Finding]:
    """Find parts without a Deployment, or with too few replicas that are ready."""
    for name, part in PARTS.items():
        deployment = facts.named("Deployment", name)
        if deployment is not None:
            yield from _replicas(deployment, part.effect)
        elif not (part.lease and _is_held(facts, part.lease)):
            switch = "scheduler.enabled" if name == SCHEDULER_DEPLOYMENT else "what is missing"
            remedy = f"install it with the chart ({switch})"
            yield error(NOT_RUNNING, f"Deployment {name}", f"it is not there: {part.effect}", remedy)


def leaders(facts: Facts) -> Iterator[Finding]:
    """Find parts of which no replica holds the Lease, though replicas are meant to run."""
    for name, part in PARTS.items():
        if not part.lease or facts.named("Deployment", name) is None or _is_held(facts, part.lease):
            continue
        lease = _lease(facts, part.lease)
        if lease is None:
            text = "it is not there"
        elif not lease.holder:
            text = "nobody holds it"
        else:
            text = f"{lease.holder} has not renewed it for {lease.age_seconds or 0:.0f} s"
        yield error(NO_LEADER, f"Lease {part.lease}", f"{text}: {part.effect}", _LOOK)


def _replicas(deployment: Json, effect: str) -> Iterator[Finding]:
    if "status" not in deployment:  # a manifest, not a dump
        return
    wanted, ready = (
        at(deployment, "spec").get("replicas", 1),
        at(deployment, "status").get("readyReplicas", 0),
    )
    if not isinstance(wanted, int) or not isinstance(ready, int):
        return
    if not ready:
        text = f"no replica is ready, of {wanted} that are wanted: {effect}"
        yield error(NOT_RUNNING, title("Deployment", deployment), text, _LOOK)
    elif ready < wanted:
        text = f"{ready} of {wanted} replicas are ready"
        yield warning(FEW_REPLICAS, title("Deployment", deployment), text, _LOOK)


def _lease(facts: Facts, name: str) -> Lease | None:
    return next((lease for lease in facts.leases if lease.place.rpartition("/")[2] == name), None)


def _is_held(facts: Facts, name: str) -> bool:
    lease = _lease(facts, name)
    return lease is not None and lease.is_held
