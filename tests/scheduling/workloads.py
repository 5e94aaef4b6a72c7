"""Workload objects around a pod."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def deployment(name: str, pod: Json, replicas: int) -> Json:
    return _workload("Deployment", name, pod, replicas=replicas)


def daemon_set(name: str, pod: Json) -> Json:
    return _workload("DaemonSet", name, pod)


def _workload(kind: str, name: str, pod: Json, **more: Any) -> Json:
    spec = {key: value for key, value in pod["spec"].items() if key != "schedulerName"}
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template, **more},
    }
