"""Creating pods through a real API server, with the product installed and without.

    python -m bench.bench_create

Two control planes, one of them bare, take turns; each figure is the median of five rounds. All pods stand
under a quota on both sides, so that the difference is the webhook's and not the API server's own count.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.callers import Callers, Measured
from bench.processes import children, cpu_seconds
from tests.harness import binaries
from tests.harness.cluster import fresh_namespace, pod, quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product, resource_class
from tests.harness.waiting import until

Json = dict[str, Any]

PODS, ROUNDS = 400, 5
CLASS = "nvidia.tesla.k80"
KEY = f"resourceclass.io/{CLASS}"
QUOTA_KEY = f"requests.{KEY}"


@dataclass(frozen=True)
class Load:
    """What is sent."""

    name: str
    limits: Json
    callers: int
    quota: str = "1000000"
    status: int = 201


LOADS = (
    Load("without a class, 1 caller", {"cpu": "1"}, 1),
    Load("without a class, 8 callers", {"cpu": "1"}, 8),
    Load("with a class, 1 caller", {KEY: "1"}, 1),
    Load("with a class, 8 callers", {KEY: "1"}, 8),
    Load("refused for the quota, 1 caller", {KEY: "1"}, 1, quota="0", status=403),
    Load("refused for the quota, 8 callers", {KEY: "1"}, 8, quota="0", status=403),
)


@dataclass(frozen=True)
class Side:
    """A control plane, and the replicas of the webhook if the product is installed there."""

    plane: ControlPlane
    product: Product | None = None

    def cpu_ms(self) -> tuple[float, float]:
        """The CPU time that the API server has used so far, and that the webhook has."""
        replicas = self.product.webhook.replicas if self.product else []
        parents = [replica.process.pid for replica in replicas]
        webhook = [*parents, *(child for parent in parents for child in children(parent))]
        server = self.plane.process("kube-apiserver").pid
        return cpu_seconds([server]) * 1000, cpu_seconds(webhook) * 1000


@dataclass(frozen=True)
class Cost:
    """What one load came to; the CPU time is that of one pod."""

    measured: Measured
    server_ms: float
    webhook_ms: float


def main() -> None:
    """Print the figures."""
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with _sides(paths) as sides:
        rounds = _rounds(sides)
    print(f"{PODS} pods at a time, median of {ROUNDS} rounds; load {os.getloadavg()[0]:.1f} at the end")
    print("CPU: milliseconds per pod, of the API server and of the webhook with all its processes")
    print(f"{'':34}{'without the product':^34}{'with the product':^44}")
    print(f"{'pods':34}" + f"{'per s':>8}{'p50 ms':>8}{'p99 ms':>8}{'CPU':>8}  " * 2 + f"{'webhook':>10}")
    for load in LOADS:
        bare, ours = (_medians([each[number][load.name] for each in rounds]) for number in (0, 1))
        print(f"{load.name:34}{_cells(bare)}  {_cells(ours)}  {ours.webhook_ms:10.2f}")


def _cells(cost: Cost) -> str:
    measured = cost.measured
    return f"{measured.rate:8.0f}{measured.p50_ms:8.1f}{measured.p99_ms:8.1f}{cost.server_ms:8.2f}"


@contextmanager
def _sides(paths: Any) -> Iterator[tuple[Side, Side]]:
    """The bare control plane and the one with the product."""
    with ExitStack() as stack:
        bare = stack.enter_context(ControlPlane(paths))
        ours = stack.enter_context(ControlPlane(paths))
        product = stack.enter_context(Product(ours))
        ours.api().create(resource_class(CLASS, {"model": "NVIDIA Tesla K80"})).must()
        yield Side(bare), Side(ours, product)


def _rounds(sides: tuple[Side, Side]) -> list[tuple[dict[str, Cost], dict[str, Cost]]]:
    """Per round, per side: what each load came to. One round before these warms everything up."""
    rounds = []
    for number in range(ROUNDS + 1):
        costs: tuple[dict[str, Cost], dict[str, Cost]] = ({}, {})
        for load in LOADS:
            # Whoever comes second finds warmer caches, so they take turns.
            for side in (0, 1) if number % 2 else (1, 0):
                costs[side][load.name] = _measure(sides[side], load)
        rounds.append(costs)
    return rounds[1:]


def _measure(side: Side, load: Load) -> Cost:
    api, plane = side.plane.api(), side.plane
    pods = [pod(f"p{number}", load.limits) for number in range(PODS)]
    token = {"Authorization": f"Bearer {api.token}"}
    with fresh_namespace(api) as namespace:
        api.create(quota("q", {QUOTA_KEY: load.quota}), namespace).must()
        quota_synced(api, namespace, "q")
        with Callers(plane.server, plane.pki.ca_file, load.callers, token) as callers:
            before = side.cpu_ms()
            measured = callers.post(f"/api/v1/namespaces/{namespace}/pods", pods, load.status)
            after = side.cpu_ms()
        _clear(plane, namespace)
    return Cost(measured, *((now - then) / PODS for now, then in zip(after, before, strict=True)))


def _clear(plane: ControlPlane, namespace: str) -> None:
    """Takes the pods away, so that their end is not the next measurement's burden."""
    api = plane.api()
    path = f"/api/v1/namespaces/{namespace}/pods"
    api.request("DELETE", path, {"gracePeriodSeconds": 0}).must()
    until(lambda: not api.items("Pod", namespace), f"the pods of {namespace} are gone", 60)


def _medians(costs: list[Cost]) -> Cost:
    measured = Measured(
        median(each.measured.rate for each in costs),
        median(each.measured.p50_ms for each in costs),
        median(each.measured.p99_ms for each in costs),
    )
    return Cost(measured, median(each.server_ms for each in costs), median(each.webhook_ms for each in costs))


if __name__ == "__main__":
    main()
