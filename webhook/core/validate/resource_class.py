"""Checks a ResourceClass when it is written, and warns when pods depend on what changes.

The schema of the CustomResourceDefinition refuses most faults already; the selector is untyped there and is
read here. An update that leaves `spec` alone always passes, so that labels, finalizers and the status of an
old, broken class can be written. Reads `metadata.name` and `spec`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from webhook.core.outcome import Fault, Outcome, Reason, refuse
from webhook.core.raw import as_text, at
from webhook.core.text import list_of, plural, shorten
from webhook.core.values.names import Json
from webhook.core.values.resource_class import BadClass, ResourceClass, parse_resource_class
from webhook.core.values.usage import Usage

_MOST_PODS: Final = 3


def validate_class(obj: Json, old: Json | None = None, usage: Sequence[Usage] = ()) -> Outcome:
    """Return faults for what is wrong with a class, and warnings for what `usage` will feel of the change."""
    if old is not None and old.get("spec") == obj.get("spec"):
        return Outcome(object=obj)
    try:
        new_class = parse_resource_class(obj)
    except BadClass as error:
        return refuse(obj, [_fault(obj, problem) for problem in error.problems])
    users = _users_of(new_class.name, usage)
    changes = list(_changes(old, new_class)) if old is not None and users else []
    return Outcome(object=obj, warnings=tuple(_changed(new_class.name, users, change) for change in changes))


def validate_class_delete(obj: Json, usage: Sequence[Usage]) -> Outcome:
    """Return a warning that names the pods which still use a class that is being deleted."""
    name = as_text(at(obj, "metadata").get("name"))
    users = _users_of(name, usage)
    if not users:
        return Outcome(object=obj)
    warning = (
        f"ResourceClass {name} is in use by {_listed(users)}: they keep their devices, but no new pod of the "
        "class can be created until it exists again"
    )
    return Outcome(object=obj, warnings=(shorten(warning),))


def _fault(obj: Json, problem: str) -> Fault:
    name = as_text(at(obj, "metadata").get("name"))
    return Fault(Reason.INVALID_OBJECT, f"ResourceClass {name}: {problem}")


def _changes(old: Json, new: ResourceClass) -> Iterator[str]:
    try:
        before = parse_resource_class(old)
    except BadClass:
        return  # what could not be read before gave nobody a device
    if before.selector != new.selector:
        yield "the new selector"
    if before.share_memory_bytes != new.share_memory_bytes:
        yield "the new share"
    if before.delivery != new.delivery:
        yield "the new delivery"
    if before.vendor_resource != new.vendor_resource:
        yield "the new vendorResource"


def _changed(name: str, users: Sequence[Usage], change: str) -> str:
    return shorten(
        f"ResourceClass {name} is in use by {_listed(users)}: {change} holds for new pods only; "
        "create pods that still wait for a device anew"
    )


def _users_of(name: str, usage: Sequence[Usage]) -> list[Usage]:
    return [use for use in usage if use.class_name == name]


def _listed(users: Sequence[Usage]) -> str:
    names = sorted(f"{use.namespace}/{use.pod}" for use in users)
    return f"{plural(len(names), 'pod')} ({list_of(names, _MOST_PODS)})"
