"""Who uses a class: the pods that are not finished."""

from dataclasses import dataclass
from typing import Final

from webhook.core.raw import as_mapping
from webhook.core.values.demand import demand
from webhook.core.values.names import Json

# The phases in which the API server's quota no longer counts a pod.
FINISHED: Final = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True)
class Usage:
    """The units of one class that one pod uses."""

    namespace: str
    pod: str
    class_name: str
    units: int


def usage_of(pod: Json) -> tuple[Usage, ...]:
    """Return what an unfinished pod uses, one entry per class; empty for a finished one."""
    metadata, status = as_mapping(pod.get("metadata")), as_mapping(pod.get("status"))
    if status.get("phase") in FINISHED:
        return ()
    namespace, name = str(metadata.get("namespace") or ""), str(metadata.get("name") or "")
    return tuple(
        Usage(namespace, name, class_name, units)
        for class_name, units in sorted(demand(pod.get("spec")).units.items())
    )
