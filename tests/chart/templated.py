"""Objects that hold a pod template, each with the template where its kind wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.chart.samples import Json

LABELS = {"app": "some"}


def _template(containers: list[Json], **spec: Any) -> Json:
    return {"metadata": {"labels": LABELS}, "spec": {"containers": containers, **spec}}


def _selecting(kind: str) -> Callable[..., Json]:
    def make(containers: list[Json], **spec: Any) -> Json:
        return _object(
            f"apps/v1/{kind}", selector={"matchLabels": LABELS}, template=_template(containers, **spec)
        )

    return make


def _object(kind: str, **spec: Any) -> Json:
    version, _, name = kind.rpartition("/")
    return {"apiVersion": version, "kind": name, "metadata": {"name": "some"}, "spec": spec}


def _replication_controller(containers: list[Json], **spec: Any) -> Json:
    return _object("v1/ReplicationController", selector=LABELS, template=_template(containers, **spec))


def _job(containers: list[Json], **spec: Any) -> Json:
    return _object("batch/v1/Job", template=_template(containers, restartPolicy="Never", **spec))


def _cron_job(containers: list[Json], **spec: Any) -> Json:
    job = {"spec": {"template": _template(containers, restartPolicy="Never", **spec)}}
    return _object("batch/v1/CronJob", schedule="0 3 * * *", jobTemplate=job)


def _pod_template(containers: list[Json], **spec: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "some"},
        "template": _template(containers, **spec),
    }


MAKE: dict[str, Callable[..., Json]] = {
    **{kind: _selecting(kind) for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")},
    "ReplicationController": _replication_controller,
    "Job": _job,
    "CronJob": _cron_job,
    "PodTemplate": _pod_template,
}

# The entry of the mutating configuration that each kind belongs to.
ENTRY = dict.fromkeys(MAKE, "templates") | {"CronJob": "cronjobs", "PodTemplate": "podtemplates"}

# The path to the fields of the pod spec, in an object and (with f: in front) in its managed fields.
POD_SPEC = dict.fromkeys(MAKE, ("spec", "template", "spec")) | {
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "PodTemplate": ("template", "spec"),
}
