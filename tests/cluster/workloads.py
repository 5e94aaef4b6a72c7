"""Workloads of every kind that makes pods, with one container `main` that asks for what a test gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.harness.cluster import IMAGE

Json = dict[str, Any]

MAKES_PODS_BY_ITSELF = (
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "ReplicationController",
    "Job",
    "CronJob",
)
ALL_KINDS = (*MAKES_PODS_BY_ITSELF, "PodTemplate")

_GROUPS = {"Job": "batch/v1", "CronJob": "batch/v1", "ReplicationController": "v1", "PodTemplate": "v1"}
_ENDS = ("Job", "CronJob")


def workload(kind: str, name: str, limits: Mapping[str, Any]) -> Json:
    """The smallest workload of a kind, without replicas, so that scaling is nobody's conflict."""
    template = _template(name, limits, ends=kind in _ENDS)
    selector: Json = {"matchLabels": {"app": name}}
    base: Json = {
        "apiVersion": _GROUPS.get(kind, "apps/v1"),
        "kind": kind,
        "metadata": {"name": name},
    }
    match kind:
        case "PodTemplate":
            return {**base, "template": template}
        case "Job":
            return {**base, "spec": {"template": template}}
        case "CronJob":
            return {
                **base,
                "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": template}}},
            }
        case "ReplicationController":
            return {**base, "spec": {"selector": {"app": name}, "template": template}}
        case "StatefulSet":
            return {**base, "spec": {"serviceName": name, "selector": selector, "template": template}}
    return {**base, "spec": {"selector": selector, "template": template}}


def pod_spec(obj: Json) -> Json:
    """The pod spec in a workload of any kind."""
    spec = obj.get("spec", obj)
    if "jobTemplate" in spec:
        spec = spec["jobTemplate"]["spec"]
    inner: Json = spec["template"]["spec"]
    return inner


def limits_of(obj: Json) -> Json:
    """What the container of a workload asks for; requests must say the same or nothing."""
    resources = pod_spec(obj)["containers"][0].get("resources", {})
    limits: Json = resources.get("limits", {})
    assert resources.get("requests", limits) == limits
    return limits


def _template(name: str, limits: Mapping[str, Any], *, ends: bool) -> Json:
    spec: Json = {"containers": [{"name": "main", "image": IMAGE, "resources": {"limits": dict(limits)}}]}
    if ends:
        spec["restartPolicy"] = "Never"
    return {"metadata": {"labels": {"app": name}}, "spec": spec}
