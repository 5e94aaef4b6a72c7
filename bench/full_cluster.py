"""A cluster with many classes and quotas, and the reviews that are sent to a webhook that watches it."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.concurrency.api_server import create_review
from tests.harness.api import Api
from tests.harness.cluster import quota, quota_synced
from tests.harness.product import resource_class
from webhook.core.mutate.pod import mutate_pod
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes

Json = dict[str, Any]

CLASSES, QUOTAS, NAMESPACES = 200, 2000, 100
CALLERS = 8
CLASS = "class-7"  # the one that the pod asks for
QUOTA_KEY = f"requests.resourceclass.io/{CLASS}"
ROOM = {"roomy": "1000000", "full": "0"}  # a third namespace, "free", has no quota


@dataclass(frozen=True)
class Reviews:
    """Files with an AdmissionReview each."""

    sent: Path
    """The pod as the API server first sends it."""
    stored: Path
    """As it is stored, where a quota has room for it."""
    unlimited: Path
    """Where no quota names its class."""
    refused: Path
    """Where the quota has no room."""


def fill(api: Api) -> None:
    """Make the classes, quotas and namespaces."""
    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda obj: api.create(obj).must(), _classes()))
        list(callers.map(lambda name: api.create(_namespace(name)).must(), [*_names(), *ROOM, "free"]))
        for name, room in ROOM.items():
            api.create(quota("devices", {QUOTA_KEY: room}), name).must()
        list(callers.map(lambda place: api.create(_quota(place[1]), place[0]).must(), _places()))
    for name in ROOM:
        quota_synced(api, name, "devices", seconds=300)


def write_reviews(folder: Path, sent: Json) -> Reviews:
    """Write the reviews of one pod: as it is sent, and as it is stored in three namespaces."""
    stored = mutate_pod(sent, Classes.of(_classes()), PodSettings()).object

    folder.mkdir()

    def write(name: str, pod: Json, namespace: str) -> Path:
        path = folder / f"{name}.json"
        path.write_text(json.dumps(create_review(pod, namespace)))
        return path

    return Reviews(
        write("sent", sent, "roomy"),
        write("stored", stored, "roomy"),
        write("unlimited", stored, "free"),
        write("refused", stored, "full"),
    )


def small_pod() -> Json:
    """Return a pod of one container as the API server sends it, with the defaults and its token: 2 KB."""
    limits = {CLASS: "1", "cpu": "4", "memory": "16Gi"}
    token = {"name": "kube-api-access-x7k2p", "readOnly": True}
    container = {
        "name": "train",
        "image": "registry.example.com/team/train:1.2.3",
        "command": ["python", "train.py"],
        "resources": {"limits": limits, "requests": limits},
        "volumeMounts": [{**token, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
    ]
    away = [
        {
            "key": f"node.kubernetes.io/{key}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }
        for key in ("not-ready", "unreachable")
    ]
    spec = {
        "volumes": [{"name": token["name"], "projected": {"sources": sources, "defaultMode": 420}}],
        "containers": [container],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "tolerations": away,
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    labels = {"app.kubernetes.io/name": "train", "app.kubernetes.io/part-of": "models"}
    metadata = {"name": "train", "namespace": "roomy", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}}


def _classes() -> Iterator[Json]:
    return (resource_class(f"class-{number}", {"model": f"Model {number}"}) for number in range(CLASSES))


def _names() -> list[str]:
    return [f"team-{number}" for number in range(NAMESPACES)]


def _namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _places() -> Iterator[tuple[str, int]]:
    """Namespace and number of each quota."""
    names = _names()
    return ((names[number % NAMESPACES], number) for number in range(QUOTAS - len(ROOM)))


def _quota(number: int) -> Json:
    keys = [f"requests.resourceclass.io/class-{(number + step) % CLASSES}" for step in range(3)]
    return quota(f"quota-{number}", {**dict.fromkeys(keys, "8"), "requests.cpu": "100"})
