"""How many pods of which template a workload runs, read from the object as the API server stores it."""

from dataclasses import dataclass
from typing import Any, Final

from webhook.core.raw import as_list, as_text, at
from webhook.core.values.names import Json
from webhook.core.values.pod_template import kind_of, name_of

_REPLICATED: Final = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_DEFAULT_ROLLING: Final = "25%"


@dataclass(frozen=True, slots=True)
class Workload:
    """A workload: its pods all look like `pod` (`metadata` and `spec` of the template).

    `pods` is how many may run at the same time, None where the number of nodes decides; `surge` how many
    more a rolling update needs at the same time before it may end an old one.
    """

    kind: str
    name: str
    pod: Json
    pods: int | None
    surge: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".rstrip()


def workload_of(obj: Json) -> Workload | None:
    """Read a workload; None for kinds that run no pods by themselves, such as PodTemplate."""
    kind, name, spec = kind_of(obj), name_of(obj), at(obj, "spec")
    if kind == "CronJob":
        spec = at(spec, "jobTemplate", "spec")
    pod = at(spec, "template")
    if kind in _REPLICATED:
        replicas = _count(spec.get("replicas"), default=1)
        return Workload(kind, name, pod, replicas, _surge(spec, replicas) if kind == "Deployment" else 0)
    if kind in ("Job", "CronJob"):
        return Workload(kind, name, pod, _parallel(spec))
    return Workload(kind, name, pod, None) if kind == "DaemonSet" else None


def chooses_nodes(pod: Json) -> bool:
    """Whether a pod template says on which nodes its pods may run."""
    spec = at(pod, "spec")
    required = at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    return bool(at(spec, "nodeSelector")) or bool(as_list(required.get("nodeSelectorTerms")))


def _count(value: Any, default: int) -> int:
    return value if isinstance(value, int) and value >= 0 else default


def _parallel(job_spec: Json) -> int:
    parallelism = _count(job_spec.get("parallelism"), default=1)
    return min(parallelism, _count(job_spec.get("completions"), default=parallelism))


def _surge(spec: Json, replicas: int) -> int:
    """Return the pods that a rolling update creates before it ends one; 0 where it may end one first.

    As in ResolveFenceposts of pkg/controller/deployment/util: a surge is rounded up, what may be unavailable
    down, and where both come out as 0 one pod may be unavailable.
    """
    if at(spec, "strategy").get("type", "RollingUpdate") != "RollingUpdate":
        return 0
    rolling = at(spec, "strategy", "rollingUpdate")
    unavailable = _share_of(replicas, rolling.get("maxUnavailable"), round_up=False)
    return _share_of(replicas, rolling.get("maxSurge"), round_up=True) if unavailable == 0 else 0


def _share_of(replicas: int, value: Any, *, round_up: bool) -> int:
    if isinstance(value, int):
        return value
    percent = as_text(value or _DEFAULT_ROLLING).removesuffix("%")
    if not percent.isdecimal() or len(percent) > 9:
        return 0
    parts = replicas * int(percent)
    return -(-parts // 100) if round_up else parts // 100
