"""The namespace label `resourceclass.io/enforce`: deny (default), warn or off.

It bends quota and policy alone. Faults of the object itself, a node name by hand and a pod that mutation has
not seen stay refusals in every mode, and a ResourceQuota is enforced by the API server whatever we say.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Final

from webhook.core.outcome import Fault, Outcome, Reason
from webhook.core.text import list_of, shorten
from webhook.core.values.names import ENFORCE_LABEL


class Mode(StrEnum):
    """What becomes of a quota or policy fault in a namespace."""

    DENY = "deny"
    WARN = "warn"
    OFF = "off"


BENDABLE: Final = frozenset(
    {
        Reason.QUOTA_EXCEEDED,
        Reason.QUOTA_NOT_READY,
        Reason.DEFAULT_QUOTA_MISSING,
        Reason.NAMESPACE_NOT_ALLOWED,
    }
)


def mode_of(namespace_labels: Mapping[str, str]) -> Mode:
    """Return the mode of a namespace; a value that is none of the three counts as deny."""
    try:
        return Mode(namespace_labels.get(ENFORCE_LABEL, Mode.DENY))
    except ValueError:
        return Mode.DENY


def enforce(outcome: Outcome, namespace_labels: Mapping[str, str]) -> Outcome:
    """Return `outcome` as the mode of the namespace wants it."""
    mode = mode_of(namespace_labels)
    if mode is Mode.DENY:
        unknown = _unknown_value(namespace_labels)
        return replace(outcome, warnings=outcome.warnings + unknown) if unknown else outcome
    bent = tuple(fault for fault in outcome.faults if fault.reason in BENDABLE)
    if not bent:
        return outcome
    return replace(
        outcome,
        faults=tuple(fault for fault in outcome.faults if fault.reason not in BENDABLE),
        warnings=outcome.warnings + (_as_warnings(bent) if mode is Mode.WARN else ()),
        audit={**outcome.audit, "enforce": mode.value, "not-enforced": _reasons(bent)},
    )


def _as_warnings(faults: tuple[Fault, ...]) -> tuple[str, ...]:
    return tuple(shorten(f"not enforced ({ENFORCE_LABEL}: {Mode.WARN}): {fault.message}") for fault in faults)


def _reasons(faults: tuple[Fault, ...]) -> str:
    return ",".join(sorted({fault.reason.value for fault in faults}))


def _unknown_value(namespace_labels: Mapping[str, str]) -> tuple[str, ...]:
    value = namespace_labels.get(ENFORCE_LABEL, Mode.DENY)
    if value == Mode.DENY:
        return ()
    known = list_of(mode.value for mode in Mode)
    warning = f"namespace label {ENFORCE_LABEL}: {value} is not known and counts as deny; known are {known}"
    return (shorten(warning),)
