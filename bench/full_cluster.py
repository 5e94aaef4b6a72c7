"""A cluster with many classes and quotas, and the reviews that are sent to a webhook that watches it."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bench_core import class_pod
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
    stored: Path
    unlimited: Path
    refused: Path


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


def write_reviews(folder: Path) -> Reviews:
    """Write the reviews of one pod of some 5 KB: as it is sent, and as it is stored in three namespaces."""
    sent = class_pod()
    stored = mutate_pod(sent, Classes.of(_classes()), PodSettings()).object

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
