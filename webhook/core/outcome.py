"""What a rule answers: the object as it should be, warnings, and faults if it must be refused.

Every rule reports all faults that it finds, not the first: a person should have to apply a manifest
once to learn everything that is wrong with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from webhook.core.values.names import Json

Path = tuple[str | int, ...]
"""The way from an object to a part of it: keys, and positions in lists."""


class Reason(StrEnum):
    """The short, stable word for why an object was refused: metric label, audit annotation, docs anchor."""

    BAD_AMOUNT = "BadAmount"  # a fraction, a negative number or no number at all
    UNKNOWN_CLASS = "UnknownClass"  # no such class, or a bare key close to one
    BROKEN_CLASS = "BrokenClass"  # the class exists and cannot be read
    FOREIGN_SCHEDULER = "ForeignScheduler"
    CONFLICTING_CLASSES = "ConflictingClasses"  # two shares in a container, two runtime classes in a pod
    HAND_SET_DEVICE = "HandSetDevice"  # a device variable by hand in an isolated namespace
    CANNOT_ADOPT = "CannotAdopt"  # the class of an adopting namespace is missing or cannot stand in
    NOT_FINAL = "NotFinal"  # what reached validation is not what mutation makes of it
    NODE_NAME = "NodeNameSet"
    QUOTA_EXCEEDED = "QuotaExceeded"
    QUOTA_NOT_READY = "QuotaNotReady"
    DEFAULT_QUOTA_MISSING = "DefaultQuotaMissing"  # the class has a default that the namespace has not got
    NAMESPACE_NOT_ALLOWED = "NamespaceNotAllowed"
    INVALID_OBJECT = "InvalidObject"  # a ResourceClass that cannot work
    WORKLOAD_CANNOT_RUN = "WorkloadCannotRun"  # with enforce-workloads: deny


# A malformed object is 422 Invalid, as the API server itself says it; everything that depends on the
# cluster's rules is 403 Forbidden, which is what controllers and workflow engines retry.
_INVALID: frozenset[Reason] = frozenset(
    {Reason.BAD_AMOUNT, Reason.CONFLICTING_CLASSES, Reason.INVALID_OBJECT}
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: a whole sentence naming the thing, its place and the remedy.

    `about` is the name of the ResourceQuota that refuses, where one does.
    """

    reason: Reason
    message: str
    about: str = ""


class Change(NamedTuple):
    """One thing that was changed and why, in words (for `check`, and for who must undo it)."""

    path: Path
    what: str
    why: str

    @property
    def place(self) -> str:
        """The path as people write it: spec.containers[0].env."""
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return text.removeprefix(".")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of a rule about one object.

    `object` is the document as it should be stored (the input itself where nothing changes).
    """

    object: Json
    changes: tuple[Change, ...] = ()
    warnings: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    audit: Mapping[str, str] = field(default_factory=dict)

    def noting(self, audit: Mapping[str, str]) -> "Outcome":
        """Return the same with more for the audit log."""
        return Outcome(self.object, self.changes, self.warnings, self.faults, {**self.audit, **audit})

    @property
    def allowed(self) -> bool:
        """Whether the object may pass."""
        return not self.faults

    @property
    def reason(self) -> str:
        """The short reason of the first fault; empty when allowed."""
        return self.faults[0].reason.value if self.faults else ""

    @property
    def message(self) -> str:
        """The faults as one text, numbered when there are several."""
        if len(self.faults) == 1:
            return self.faults[0].message
        return "; ".join(f"({number}) {fault.message}" for number, fault in enumerate(self.faults, 1))

    @property
    def code(self) -> int:
        """The HTTP status of the refusal: 422 when only the object itself is at fault, else 403."""
        return 422 if all(fault.reason in _INVALID for fault in self.faults) else 403

    @property
    def status_reason(self) -> str:
        """The `reason` of the Status object that goes with `code`."""
        return "Invalid" if self.code == 422 else "Forbidden"


def refuse(document: Json, faults: Sequence[Fault], warnings: Sequence[str] = ()) -> Outcome:
    """Return a refusal of `document`, unchanged."""
    return Outcome(object=document, faults=tuple(faults), warnings=tuple(warnings))
