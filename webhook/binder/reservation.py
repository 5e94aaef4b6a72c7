"""What this process has chosen for a pod and not yet seen on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from webhook.core.placement.uses import Use


class Stage(Enum):
    """How far a bind has come."""

    ASKED = auto()  # the Binding is on its way
    DONE = auto()  # the API server said yes; the watch has not shown it yet
    UNCLEAR = auto()  # whether it arrived is not known


@dataclass(frozen=True, slots=True)
class Reservation:
    """Devices that are held for one pod on one node, and the annotations that will say so."""

    uid: str
    namespace: str
    name: str
    node: str
    uses: tuple[Use, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict, hash=False)
    since: float = 0.0  # when it was chosen; once its stage is another, when the Binding was sent
    stage: Stage = Stage.ASKED
