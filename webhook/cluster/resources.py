"""The five collections that admission looks at, and how little of each object is kept.

Memory is the reason: 10,000 pods of 4 KB take 325 MB as JSON values and 2 MB as what they use. The pods are
selected by the API server already: those of our scheduler that are not finished.
"""

from collections.abc import Mapping
from typing import Final

from webhook.cluster.listing import Resource
from webhook.core.raw import at
from webhook.core.values.names import API_VERSION, SCHEDULER, Json
from webhook.core.values.usage import FINISHED, Usage, usage_of

_CORE: Final = "/api/v1"
_OURS: Final = f"/apis/{API_VERSION}"

# The field selector of pods that may still run.
UNFINISHED: Final = ",".join(f"status.phase!={phase}" for phase in FINISHED)


def keep_named(obj: Json, *fields: str) -> Json:
    """Return an object with its type, its name and the given fields, and nothing else."""
    metadata = obj["metadata"]
    kept = {name: metadata[name] for name in ("name", "namespace") if name in metadata}
    whole = {name: obj[name] for name in ("apiVersion", "kind", *fields) if name in obj}
    return {**whole, "metadata": kept}


def keep_spec(obj: Json) -> Json:
    """Keep what defines a ResourceClass or an ExtendedResource."""
    return keep_named(obj, "spec")


def keep_quota(obj: Json) -> Json:
    """Keep what a ResourceQuota allows and what is used of it; its uid is for the events about it."""
    kept = keep_named(obj, "spec", "status")
    uid = obj["metadata"].get("uid")
    return {**kept, "metadata": {**kept["metadata"], "uid": uid}} if uid else kept


def keep_labels(obj: Json) -> Mapping[str, str]:
    """Keep the labels of a namespace."""
    return at(obj, "metadata", "labels")


def keep_usage(obj: Json) -> tuple[Usage, ...] | None:
    """Keep what a pod uses; a pod that uses nothing is of no interest."""
    return usage_of(obj) or None


RESOURCE_CLASSES: Final[Resource[Json]] = Resource("ResourceClass", _OURS, "resourceclasses", keep_spec)
NAMESPACES: Final[Resource[Mapping[str, str]]] = Resource("Namespace", _CORE, "namespaces", keep_labels)
QUOTAS: Final[Resource[Json]] = Resource("ResourceQuota", _CORE, "resourcequotas", keep_quota)
DEVICES: Final[Resource[Json]] = Resource("ExtendedResource", _OURS, "extendedresources", keep_spec)
PODS: Final[Resource[tuple[Usage, ...]]] = Resource(
    "Pod",
    _CORE,
    "pods",
    keep_usage,
    query={"fieldSelector": f"spec.schedulerName={SCHEDULER},{UNFINISHED}"},
)
