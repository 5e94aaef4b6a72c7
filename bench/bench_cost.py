"""CPU per review against a Flask handler with a constant answer on the same server, and memory per process.

    python -m bench.bench_cost

The webhook watches a real API server that holds 200 classes and 2,000 quotas. The calls are made by the API
server's own client code (tests/loadclient). Five rounds, in each of which everything takes its turn; each
figure is their median, and so is each ratio.
"""

import json
import os
import statistics
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bench_core import class_pod
from bench.full_cluster import CLASSES, QUOTAS, fill, small_pod, write_reviews
from bench.processes import children, cpu_seconds, resident_mib
from tests.concurrency.api_server import ApiServerLoad, Target
from tests.harness import binaries
from tests.harness.controlplane import ControlPlane
from tests.harness.processes import Process, free_port
from tests.harness.product import Product
from tests.harness.webhook import Replica

Json = dict[str, Any]

CALLS, CALLERS, ROUNDS = 2000, 4, 5


@dataclass(frozen=True)
class Case:
    """What is sent to whom."""

    name: str
    replica: Replica
    path: str
    review: Path


def main() -> None:
    """Print the figures."""
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with _servers(paths) as (product, constant):
        for name, pod in (("one container", small_pod()), ("three containers", class_pod())):
            cases = _cases(product, constant, product.plane.folder / name, pod)
            _print(name, cases, _rounds(paths["loadclient"], product, cases))
        memory = max(resident_mib(pid) for pid in children(product.webhook.replicas[0].process.pid))
    print(f"memory of the larger process, {CLASSES} classes, {QUOTAS} quotas: {memory:.0f} MiB")


@contextmanager
def _servers(paths: dict[str, Path]) -> Iterator[tuple[Product, Replica]]:
    """The webhook in a full cluster, and the constant answer beside it."""
    with ExitStack() as stack:
        plane = stack.enter_context(ControlPlane(paths))
        product = stack.enter_context(Product(plane, replicas=1))
        fill(plane.api())
        constant = _constant(plane.folder, product.ca_file.parent)
        stack.enter_context(constant.process)
        constant.wait_ready()
        yield product, constant


def _constant(folder: Path, certificates: Path) -> Replica:
    settings = {
        "host": "127.0.0.1",
        "port": free_port(),
        "health_host": "127.0.0.1",
        "health_port": free_port(),
        "tls_cert": f"{certificates}/tls.crt",
        "tls_key": f"{certificates}/tls.key",
        "drain_seconds": 0,
    }
    command = [sys.executable, "-m", "bench.constant", json.dumps(settings)]
    process = Process("constant", command, folder / "constant.log")
    return Replica(process, settings["port"], settings["health_port"])


def _cases(product: Product, constant: Replica, folder: Path, pod: Json) -> list[Case]:
    """The constant answer comes first: each ratio is to it, for a review of the same size."""
    (ours,) = product.webhook.replicas
    reviews = write_reviews(folder, pod)
    return [
        Case("constant answer", constant, "/validate", reviews.stored),
        Case("class pod, mutate", ours, "/mutate", reviews.sent),
        Case("class pod, validate", ours, "/validate", reviews.stored),
        Case("class pod that no quota limits, validate", ours, "/validate", reviews.unlimited),
        Case("class pod refused for the quota, validate", ours, "/validate", reviews.refused),
    ]


def _rounds(program: Path, product: Product, cases: list[Case]) -> list[list[float]]:
    """One round before these warms everything up."""
    rounds = [[_measure(program, product, case) for case in cases] for _ in range(ROUNDS + 1)]
    return rounds[1:]


def _measure(program: Path, product: Product, case: Case) -> float:
    """Return the microseconds of CPU that one call costs the server."""
    workers = children(case.replica.process.pid)
    target = Target(f"127.0.0.1:{case.replica.port}", product.ca_file)
    before = cpu_seconds(workers)
    with ApiServerLoad(
        program, target, case.path, [case.review], CALLERS, calls=CALLS, same_uid=True
    ) as callers:
        met = callers.finish()
    if met.errors or met.calls != CALLS:
        raise RuntimeError(f"{case.name}: {met}")
    return (cpu_seconds(workers) - before) / CALLS * 1e6


def _print(name: str, cases: list[Case], rounds: list[list[float]]) -> None:
    size = f"pod of {name}, review of {cases[0].review.stat().st_size / 1000:.1f} KB"
    load = f"load {os.getloadavg()[0]:.1f} at the end"
    print(f"{size}; {CALLS} calls, {CALLERS} callers, median of {ROUNDS} rounds; {load}")
    print(f"{'review':44}{'CPU us':>8}{'ratio':>8}")
    for number, case in enumerate(cases):
        cost = statistics.median(each[number] for each in rounds)
        ratio = statistics.median(each[number] / each[0] for each in rounds)
        print(f"{case.name:44}{cost:8.0f}{ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
