"""What the rules cost for a pod of some 5 KB: mutation, its second call, and the difference as a patch.

    python -m bench.bench_core

Each figure is the best of several rounds, which is the one that a busy machine disturbs least.
"""

import json
import timeit
from collections.abc import Callable
from typing import Any

import jsonpatch

from webhook.core.mutate.pod import mutate_pod
from webhook.core.patch import diff
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes

CALLS, ROUNDS = 500, 7
CLASSES = Classes.of(
    {"metadata": {"name": f"class-{n}"}, "spec": {"selector": {"matchLabels": {"model": f"Model {n}"}}}}
    for n in range(50)
)


def class_pod() -> dict[str, Any]:
    """Return a pod as a deployment tool makes it: three containers, one of which asks for a class."""
    env = [{"name": f"SETTING_{n}", "value": f"value of setting {n}"} for n in range(12)]
    mounts = [{"name": f"volume-{n}", "mountPath": f"/mnt/volume-{n}", "readOnly": True} for n in range(6)]
    probe = {"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10}

    def container(name: str, limits: dict[str, str]) -> dict[str, Any]:
        resources = {"limits": limits, "requests": limits}
        return {
            "name": name,
            "image": f"registry.example.com/team/{name}:1.2.3",
            "env": env,
            "livenessProbe": probe,
            "volumeMounts": mounts,
            "resources": resources,
            "terminationMessagePath": "/dev/termination-log",
        }

    containers = [
        container("train", {"class-7": "2", "cpu": "4", "memory": "16Gi"}),
        container("web", {"cpu": "1", "memory": "1Gi"}),
        container("log", {"cpu": "100m", "memory": "128Mi"}),
    ]
    volumes = [{"name": f"volume-{n}", "configMap": {"name": f"settings-{n}"}} for n in range(6)]
    pod = {"containers": containers, "volumes": volumes, "schedulerName": "default-scheduler"}
    labels = {f"app.kubernetes.io/label-{n}": f"value-{n}" for n in range(6)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train", "labels": labels}, "spec": pod}


def microseconds(call: Callable[[], object]) -> float:
    """Return what one call costs."""
    return min(timeit.repeat(call, number=CALLS, repeat=ROUNDS)) / CALLS * 1e6


def main() -> None:
    """Print the figures."""
    sent = json.dumps(class_pod())
    pod, settings = json.loads(sent), PodSettings()
    mutated = mutate_pod(pod, CLASSES, settings).object
    stored = json.loads(json.dumps(mutated))
    figures = {
        "mutate a class pod": lambda: mutate_pod(pod, CLASSES, settings),
        "mutate it a second time": lambda: mutate_pod(stored, CLASSES, settings),
        "diff, sharing what is untouched": lambda: diff(pod, mutated),
        "diff of two separate documents": lambda: diff(pod, stored),
        "jsonpatch.make_patch of the same": lambda: jsonpatch.make_patch(pod, stored),
    }
    print(f"pod of {len(sent) / 1000:.1f} KB, {len(CLASSES.names)} classes")
    for name, call in figures.items():
        print(f"{name:34} {microseconds(call):8.1f} us")


if __name__ == "__main__":
    main()
