"""Where the pod spec stands in each kind of object that holds a pod template."""

from typing import Any, Final

from webhook.core.raw import as_list, as_mapping, as_text
from webhook.core.values.names import Json

_OF_WORKLOAD: Final = ("spec", "template", "spec")

POD_SPEC_PATHS: Final[dict[str, tuple[str, ...]]] = {
    "Deployment": _OF_WORKLOAD,
    "StatefulSet": _OF_WORKLOAD,
    "DaemonSet": _OF_WORKLOAD,
    "ReplicaSet": _OF_WORKLOAD,
    "ReplicationController": _OF_WORKLOAD,
    "Job": _OF_WORKLOAD,
    "CronJob": ("spec", "jobTemplate", *_OF_WORKLOAD),
    "PodTemplate": ("template", "spec"),
    "Pod": ("spec",),
}
TEMPLATE_KINDS: Final = tuple(kind for kind in POD_SPEC_PATHS if kind != "Pod")


def kind_of(obj: Json) -> str:
    """Return the kind of an object; empty when it states none."""
    return as_text(obj.get("kind"))


def name_of(obj: Json) -> str:
    """Return the name of an object, or the prefix of a name that is still to be generated; may be empty."""
    metadata = as_mapping(obj.get("metadata"))
    return as_text(metadata.get("name")) or as_text(metadata.get("generateName"))


def value_at(obj: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a path of map keys, or None where a parent is absent or no map."""
    for step in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(step)
    return obj


def pod_spec_of(obj: Json) -> Json | None:
    """Return the pod spec within a pod or a workload; None when it is absent, no map, or of another kind."""
    path = POD_SPEC_PATHS.get(kind_of(obj))
    spec = value_at(obj, path) if path else None
    return spec if isinstance(spec, dict) else None


def has_controller(obj: Json) -> bool:
    """Whether a controller owns the object and would write it again as it wants it."""
    owners = as_list(value_at(obj, ("metadata", "ownerReferences")))
    return any(as_mapping(owner).get("controller") is True for owner in owners)
