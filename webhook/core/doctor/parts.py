"""The parts that run in the cluster: their Deployments and Leases, and what is missing without them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webhook.core.values.names import SCHEDULER


@dataclass(frozen=True, slots=True)
class Part:
    """One part. `lease` is what its leader holds, empty where all replicas work."""

    effect: str  # of its absence
    lease: str = ""


WEBHOOK_DEPLOYMENT: Final = "resourceclass-webhook"
SCHEDULER_DEPLOYMENT: Final = SCHEDULER
CONTROLLER_DEPLOYMENT: Final = "resourceclass-controller"
SCHEDULER_CONTAINER: Final = "scheduler"

PARTS: Final[Mapping[str, Part]] = {
    WEBHOOK_DEPLOYMENT: Part("class pods are refused"),
    SCHEDULER_DEPLOYMENT: Part("class pods stay Pending", SCHEDULER_DEPLOYMENT),
    CONTROLLER_DEPLOYMENT: Part(
        "new devices are not taken in, and labels, capacity, statuses and default quotas get old",
        CONTROLLER_DEPLOYMENT,
    ),
}
