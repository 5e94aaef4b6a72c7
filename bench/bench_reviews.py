"""Reviews per second through one replica of the webhook: two processes, TLS, connections that stay open.

    python -m bench.bench_reviews

No control plane: the replica serves a folder of manifests, as `make run` does. Each figure is the median of
five rounds. The pod is the one of bench_core, some 5 KB.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from bench.bench_core import class_pod
from bench.callers import Callers, Measured, median
from tests.cluster.reviews import pod_review
from tests.harness.webhook import Webhook
from webhook.core.mutate.pod import mutate_pod
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes

Json = dict[str, Any]

REVIEWS, ROUNDS, CALLERS = 400, 5, (1, 8)
ISSUE_SECONDS = 30
CLASSES = [
    {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": f"class-{number}"},
        "spec": {"selector": {"matchLabels": {"model": f"Model {number}"}}},
    }
    for number in range(50)
]


def main() -> None:
    """Print the figures."""
    print(f"{REVIEWS} reviews at a time, median of {ROUNDS} rounds, one replica of two processes")
    print(f"{'review':44}{'per second':>12}{'p50 ms':>8}{'p99 ms':>8}")
    with tempfile.TemporaryDirectory() as folder, _replica(Path(folder)) as (url, ca_file):
        for name, path, review in _reviews():
            for callers in CALLERS:
                found = _measure(url, ca_file, callers, path, review)
                label = f"{name}, {callers} caller{'s' if callers > 1 else ''}"
                print(f"{label:44}{found.rate:12.0f}{found.p50_ms:8.2f}{found.p99_ms:8.2f}", flush=True)


def _reviews() -> Iterator[tuple[str, str, Json]]:
    sent = class_pod()
    final = mutate_pod(sent, Classes.of(CLASSES), PodSettings()).object
    yield "mutate", "/mutate", pod_review(sent, "default")
    yield "mutate, nothing left to do", "/mutate", pod_review(final, "default")
    yield "validate, admitted", "/validate", pod_review(final, "default")
    yield "validate, refused for the quota", "/validate", pod_review(final, "full")


def _measure(url: str, ca_file: Path, callers: int, path: str, review: Json) -> Measured:
    with Callers(url, ca_file, callers) as connections:
        rounds = [connections.post(path, [review] * REVIEWS, 200) for _ in range(ROUNDS + 1)]
    return median(rounds[1:])  # the first one warms everything up


@contextmanager
def _replica(folder: Path) -> Iterator[tuple[str, Path]]:
    """The address of a running replica and the CA of its certificate."""
    manifests, certificates = folder / "manifests", folder / "certificates"
    manifests.mkdir()
    (manifests / "all.yaml").write_text(yaml.safe_dump_all([*CLASSES, *_quotas()]))
    issue = ["certs", "issue", f"--out={certificates}", "--dns-name=localhost", "--ip=127.0.0.1"]
    command = [sys.executable, "-m", "webhook", *issue]
    subprocess.run(command, check=True, timeout=ISSUE_SECONDS, stdout=subprocess.DEVNULL)
    pair = [f"--tls-cert={certificates}/tls.crt", f"--tls-key={certificates}/tls.key"]
    webhook = Webhook(folder, ["webhook", f"--manifests={manifests}", *pair], replicas=1)
    try:
        webhook.start()
        (replica,) = webhook.replicas
        yield f"https://127.0.0.1:{replica.port}", certificates / "ca.crt"
    finally:
        webhook.close()


def _quotas() -> Iterator[Json]:
    """Enough in the namespace default, nothing in the namespace full."""
    for namespace, amount in (("default", "1000000"), ("full", "0")):
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        yield {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q", "namespace": namespace},
            "spec": {"hard": {"requests.resourceclass.io/class-7": amount}},
        }


if __name__ == "__main__":
    main()
