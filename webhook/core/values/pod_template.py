"""Where the pod spec stands in each kind of object that holds a pod template."""

from typing import Final

from webhook.core.raw import as_list, as_mapping, as_text, at
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
    metadata = at(obj, "metadata")
    return as_text(metadata.get("name")) or as_text(metadata.get("generateName"))


def has_controller(obj: Json) -> bool:
    """Whether a controller owns the object and would write it again as it wants it."""
    owners = as_list(at(obj, "metadata").get("ownerReferences"))
    return any(as_mapping(owner).get("controller") is True for owner in owners)
