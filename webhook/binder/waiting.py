"""A pod that was refused everywhere when the scheduler last asked."""

from dataclasses import dataclass
from typing import Final

from webhook.core.placement.requests import PodRequests
from webhook.core.values.classes import Classes

# Pods that are remembered; of more the one that was refused first is forgotten. Some 300 bytes each.
MOST_WAITING: Final = 10_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """Whom it is about, what it asks for by which classes, and when it was refused."""

    uid: str
    namespace: str
    name: str
    requests: PodRequests
    classes: Classes
    since: float
