"""The product over a folder of manifests, and the reviews that are sent to it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.concurrency.api_server import create_review
from tests.harness.cluster import pod, quota
from tests.harness.product import resource_class
from tests.harness.webhook import Replica, Webhook
from webhook.core.mutate.pod import mutate_pod
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes

Json = dict[str, Any]

CLASS = "nvidia.tesla.k80"
ROOMY, FULL = "roomy", "full"
"""Namespaces: in one there is room for any pod of the class, in the other for none."""


@dataclass(frozen=True)
class Reviews:
    """Files with the three reviews that the tests send."""

    sent: Path
    """A pod as a user writes it."""
    stored: Path
    """The same pod as the webhook has made it."""
    refused: Path
    """That pod where no quota has room for it."""


def write_manifests(folder: Path) -> Path:
    """A cluster with one class and one quota in each of the namespaces."""
    folder.mkdir()
    key = f"requests.resourceclass.io/{CLASS}"
    rooms = {ROOMY: "1000000", FULL: "0"}
    objects = [resource_class(CLASS, {"model": "NVIDIA Tesla K80"})]
    for namespace, room in rooms.items():
        limited = quota("devices", {key: room})
        limited["metadata"]["namespace"] = namespace
        objects.append(limited)
    (folder / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    return folder


def write_reviews(folder: Path, sent: Json | None = None) -> Reviews:
    """The reviews of one pod, by default a small one."""
    written = sent or pod("train", {CLASS: "1"})
    classes = Classes.of([resource_class(CLASS, {"model": "NVIDIA Tesla K80"})])
    made = mutate_pod(written, classes, PodSettings()).object

    def write(name: str, review: Json) -> Path:
        path = folder / name
        path.write_text(json.dumps(review))
        return path

    return Reviews(
        write("sent.json", create_review(written, ROOMY)),
        write("stored.json", create_review(made, ROOMY)),
        write("refused.json", create_review(made, FULL)),
    )


def serving_arguments(directory: Path, manifests: Path) -> list[str]:
    """Serve the manifests with the certificate of the directory."""
    pair = [f"--tls-cert={directory}/tls.crt", f"--tls-key={directory}/tls.key"]
    return ["webhook", f"--manifests={manifests}", *pair]


def workers(replica: Replica) -> list[int]:
    """The processes of a replica that answer reviews."""
    pid = replica.process.pid
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def resident_bytes(webhook: Webhook) -> int:
    """The memory of all workers of all replicas."""
    return sum(_resident_bytes(pid) for replica in webhook.replicas for pid in workers(replica))


def _resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def faults(webhook: Webhook) -> list[Json]:
    """What the replicas have logged as an error, or with a traceback."""
    logs = [replica.process.log.read_text(encoding="utf-8") for replica in webhook.replicas]
    lines = [json.loads(line) for log in logs for line in log.splitlines()]
    return [line for line in lines if line["level"] in ("error", "critical") or "traceback" in line]
