"""What `explain` reads beside the devices, and how little it keeps of each object."""

from collections.abc import Iterable, Mapping
from typing import Final

from webhook.binder.fence import term_of
from webhook.cluster.events import COMPONENT
from webhook.cluster.listing import Resource, keep_whole, key_of
from webhook.core.explain.family import FAILED_CREATE
from webhook.core.explain.scene import Lease
from webhook.core.explain.told import Told, told_of
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values.names import NODE_CONDITION, SCHEDULER, Json

_CORE: Final = "/api/v1"
_APPS: Final = "/apis/apps/v1"
_BATCH: Final = "/apis/batch/v1"
_KEPT_SPEC: Final = ("unschedulable", "taints")


def keep_node(obj: Json) -> Json:
    """Keep of a Node what says which pods may go there, and what the controller says of its devices."""
    metadata, spec = at(obj, "metadata"), at(obj, "spec")
    status = at(obj, "status")
    conditions = map(as_mapping, as_list(status.get("conditions")))
    own = [condition for condition in conditions if condition.get("type") == NODE_CONDITION]
    return {
        "metadata": {"name": metadata.get("name"), "labels": at(metadata, "labels")},
        "spec": {key: spec[key] for key in _KEPT_SPEC if key in spec},
        "status": {"allocatable": at(status, "allocatable"), "conditions": own},
    }


def lease_of(obj: Json, now_seconds: float | None) -> Lease:
    """Read a Lease; without a time its age means nothing."""
    namespace, name = key_of(obj)
    term = term_of(obj)
    age = None if now_seconds is None else now_seconds - term.renewed
    return Lease(f"{namespace}/{name}", term.holder, age, term.duration_seconds)


def keep_scheduler_lease(obj: Json) -> Json | None:
    """Keep the scheduler's Lease."""
    return obj if key_of(obj)[1] == SCHEDULER else None


NODES: Final[Resource[Json]] = Resource("Node", _CORE, "nodes", keep_node)
LEASES: Final[Resource[Json]] = Resource(
    "Lease",
    "/apis/coordination.k8s.io/v1",
    "leases",
    keep_scheduler_lease,
    query={"fieldSelector": f"metadata.name={SCHEDULER}"},
)
POD: Final[Resource[Json]] = Resource("Pod", _CORE, "pods", keep_whole)
REFUSALS: Final[Resource[Told]] = Resource(
    "Event",
    _CORE,
    "events",
    lambda obj: told_of(obj) if obj.get("reason") == FAILED_CREATE else None,
    query={"fieldSelector": f"reason={FAILED_CREATE}"},
)
BY_WEBHOOK: Final[Resource[Told]] = Resource(
    "Event",
    _CORE,
    "events",
    lambda obj: told if (told := told_of(obj)).by == COMPONENT else None,
    query={"fieldSelector": f"source={COMPONENT}"},
)
WORKLOADS: Final[Mapping[str, Resource[Json]]] = {
    "deployment": Resource("Deployment", _APPS, "deployments", keep_whole),
    "statefulset": Resource("StatefulSet", _APPS, "statefulsets", keep_whole),
    "daemonset": Resource("DaemonSet", _APPS, "daemonsets", keep_whole),
    "job": Resource("Job", _BATCH, "jobs", keep_whole),
    "cronjob": Resource("CronJob", _BATCH, "cronjobs", keep_whole),
    "replicaset": Resource("ReplicaSet", _APPS, "replicasets", keep_whole),
}
# What stands between a workload and its pods.
BETWEEN: Final[Mapping[str, Resource[Json]]] = {
    "deployment": WORKLOADS["replicaset"],
    "cronjob": WORKLOADS["job"],
}
SHORT_NAMES: Final[Mapping[str, str]] = {
    "po": "pod", "pods": "pod", "deploy": "deployment", "deployments": "deployment", "sts": "statefulset",
    "statefulsets": "statefulset", "ds": "daemonset", "daemonsets": "daemonset", "jobs": "job",
    "cj": "cronjob", "cronjobs": "cronjob", "rs": "replicaset", "replicasets": "replicaset",
}  # fmt: skip


def events_about(name: str) -> Resource[Told]:
    """Return the events about pods of a name; those of an earlier pod of it differ in their uid."""
    about = f"pod/{name}"

    def keep(obj: Json) -> Told | None:
        told = told_of(obj)
        return told if told.about == about else None

    return Resource("Event", _CORE, "events", keep, query={"fieldSelector": f"involvedObject.name={name}"})


def is_owned_by(obj: Json, owners: Iterable[tuple[str, str]]) -> bool:
    """Whether an object has one of the owners, each given by kind in lower case and name."""
    own = {
        (as_text(item.get("kind")).lower(), as_text(item.get("name")))
        for item in map(as_mapping, as_list(at(obj, "metadata").get("ownerReferences")))
    }
    return not own.isdisjoint(owners)
