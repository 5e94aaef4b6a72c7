"""The answer to `why`: a sentence, what to do, and the figures behind it."""

from dataclasses import dataclass
from enum import StrEnum

from webhook.core.explain.supply import Supply
from webhook.core.explain.told import Told


class State(StrEnum):
    """In one stable word how it stands."""

    BOUND = "Bound"
    FINISHED = "Finished"
    FAILED = "Failed"
    NO_CLASS = "NoClass"
    # Bound, and something is wrong.
    NO_RECORD = "NoRecord"
    DAMAGED_RECORD = "DamagedRecord"
    HELD_TWICE = "HeldTwice"
    DEVICE_GONE = "DeviceGone"
    DEVICE_UNHEALTHY = "DeviceUnhealthy"
    # Pending.
    TERMINATING = "Terminating"
    GATED = "Gated"
    FOREIGN_SCHEDULER = "ForeignScheduler"
    UNKNOWN_CLASS = "UnknownClass"
    UNREADABLE_CLASS = "UnreadableClass"
    NO_SCHEDULER = "NoScheduler"
    PREEMPTING = "Preempting"
    NO_DEVICE = "NoDevice"
    NEVER_FITS = "NeverFits"
    EXCLUDED = "Excluded"
    NOT_SHOWN = "NotShown"
    NODE_BLOCKED = "NodeBlocked"
    IN_USE = "InUse"
    HAS_ROOM = "HasRoom"
    UNDECIDED = "Undecided"  # what decides could not be read
    # There is no pod.
    REFUSED = "Refused"
    NO_PODS = "NoPods"
    NOT_FOUND = "NotFound"


FINE = frozenset({State.BOUND, State.FINISHED})


@dataclass(frozen=True, slots=True)
class Verdict:
    """How it stands, in a sentence for a tired person, and what to do, a sentence each."""

    state: State
    headline: str
    remedies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuotaLeft:
    """One limit of a class in the namespace. `left` is None while the quota is being computed."""

    quota: str
    hard: str
    used: str
    left: int | None


@dataclass(frozen=True, slots=True)
class ClassNeed:
    """One class that the pod asks for. `supply` is None where it is not known."""

    name: str
    units: int
    share_memory_bytes: int | None
    supply: Supply | None
    quotas: tuple[QuotaLeft, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceHeld:
    """A device of a container. `because` are the properties for which it belongs to the class."""

    container: str
    class_name: str
    node: str
    device: str
    memory_bytes: int | None = None
    because: tuple[tuple[str, str], ...] = ()
    is_member: bool = True  # whether it belongs to the class as both are now
    shared_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node with devices of the classes, and all that keeps the pod off it; with nothing it has room."""

    node: str
    gates: tuple[str, ...] = ()  # what the pod or an admin says of nodes
    lacks: str = ""  # the devices, in the binder's words
    hidden: tuple[str, ...] = ()  # units that the node does not show
    never: str = ""  # what it lacks even when nobody uses it and all its devices are well
    missing: int = 0  # about how many units short, to compare nodes
    is_blocked: bool = False

    @property
    def obstacles(self) -> tuple[str, ...]:
        """All that keeps the pod off, each a phrase or clause."""
        return (*self.gates, *((self.lacks,) if self.lacks else ()), *self.hidden)


@dataclass(frozen=True, slots=True)
class Explanation:
    """A verdict with what it rests on."""

    subject: str
    verdict: Verdict
    classes: tuple[ClassNeed, ...] = ()
    nearest: Candidate | None = None
    nodes: int = 0  # nodes with devices of the classes
    held: tuple[DeviceHeld, ...] = ()
    told: tuple[Told, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether all is as it should be."""
        return self.verdict.state in FINE
