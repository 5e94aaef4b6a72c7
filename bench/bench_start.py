"""Seconds from the start of the webhook until it is ready, and the memory of its processes then.

    python -m bench.bench_start

Over a folder of manifests, and over a real API server whose objects it has to list first. The median of five
starts each.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from bench.full_cluster import CLASSES, QUOTAS, fill
from bench.processes import children, resident_mib
from tests.harness import binaries
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.harness.webhook import Webhook

STARTS = 5
EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Start:
    """One start of a replica of two processes."""

    seconds: float
    memory_mib: float
    """Of the larger of its processes."""


def main() -> None:
    """Print the figures."""
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _print("examples/", _starts(stack.enter_context(closing(_over_examples(folder)))))
        product = stack.enter_context(Product(stack.enter_context(ControlPlane(paths)), replicas=1))
        _print("an API server", _starts(product.webhook))
        fill(product.plane.api())
        _print(f"an API server with {CLASSES} classes, {QUOTAS} quotas", _starts(product.webhook))
    print(f"median of {STARTS} starts of two processes; load {os.getloadavg()[0]:.1f} at the end")


def _over_examples(folder: Path) -> Webhook:
    issue = ["certs", "issue", f"--out={folder}/certificates", "--dns-name=localhost"]
    subprocess.run([sys.executable, "-m", "webhook", *issue], check=True, stdout=subprocess.DEVNULL)
    pair = [f"--tls-cert={folder}/certificates/tls.crt", f"--tls-key={folder}/certificates/tls.key"]
    return Webhook(folder, ["webhook", f"--manifests={EXAMPLES}", *pair], replicas=1)


def _starts(webhook: Webhook) -> list[Start]:
    return [_start(webhook) for _ in range(STARTS)]


def _start(webhook: Webhook) -> Start:
    webhook.stop()
    begun = time.monotonic()
    webhook.start()
    seconds = time.monotonic() - begun
    return Start(seconds, max(map(resident_mib, children(webhook.replicas[0].process.pid))))


def _print(source: str, starts: Sequence[Start]) -> None:
    seconds = statistics.median(start.seconds for start in starts)
    memory = statistics.median(start.memory_mib for start in starts)
    print(f"{source:48}{seconds:6.2f} s{memory:7.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
