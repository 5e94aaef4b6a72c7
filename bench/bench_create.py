"""Pods created per second through a real API server, with the product installed and without.

    python -m bench.bench_create

Two control planes, one of them bare, take turns; each figure is the median of five rounds. All pods stand
under a quota on both sides, so that the difference is the webhook's and not the API server's own count.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from bench.callers import Callers, Measured, median
from tests.harness import binaries
from tests.harness.cluster import fresh_namespace, pod, quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product, resource_class
from tests.harness.waiting import until

Json = dict[str, Any]

PODS, ROUNDS = 200, 5
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


def main() -> None:
    """Print the figures."""
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with _planes(paths) as planes:
        results = _rounds(planes)
    print(f"{PODS} pods at a time, median of {ROUNDS} rounds; load {os.getloadavg()[0]:.1f} at the end")
    print(
        f"{'pods':34}{'without: /s':>12}{'p50':>8}{'p99':>8}{'with: /s':>12}{'p50':>8}{'p99':>8}{'ratio':>8}"
    )
    for load in LOADS:
        bare, ours = (median([each[side][load.name] for each in results]) for side in (0, 1))
        cells = "".join(f"{m.rate:12.0f}{m.p50_ms:8.1f}{m.p99_ms:8.1f}" for m in (bare, ours))
        print(f"{load.name:34}{cells}{ours.rate / bare.rate:8.2f}")


@contextmanager
def _planes(paths: Any) -> Iterator[tuple[ControlPlane, ControlPlane]]:
    """The bare control plane and the one with the product."""
    with ExitStack() as stack:
        bare = stack.enter_context(ControlPlane(paths))
        ours = stack.enter_context(ControlPlane(paths))
        stack.enter_context(Product(ours))
        ours.api().create(resource_class(CLASS, {"model": "NVIDIA Tesla K80"})).must()
        yield bare, ours


def _rounds(planes: tuple[ControlPlane, ControlPlane]) -> list[list[dict[str, Measured]]]:
    """Per round, per control plane: what each load came to. One round before these warms everything up."""
    rounds = []
    for number in range(ROUNDS + 1):
        result: list[dict[str, Measured]] = [{}, {}]
        for load in LOADS:
            # Whoever comes second finds warmer caches, so they take turns.
            for side in (0, 1) if number % 2 else (1, 0):
                result[side][load.name] = _measure(planes[side], load)
        rounds.append(result)
    return rounds[1:]


def _measure(plane: ControlPlane, load: Load) -> Measured:
    api = plane.api()
    pods = [pod(f"p{number}", load.limits) for number in range(PODS)]
    with fresh_namespace(api) as namespace:
        api.create(quota("q", {QUOTA_KEY: load.quota}), namespace).must()
        quota_synced(api, namespace, "q")
        token = {"Authorization": f"Bearer {api.token}"}
        with Callers(plane.server, plane.pki.ca_file, load.callers, token) as callers:
            measured = callers.post(f"/api/v1/namespaces/{namespace}/pods", pods, load.status)
        _clear(plane, namespace)
    return measured


def _clear(plane: ControlPlane, namespace: str) -> None:
    """Takes the pods away, so that their end is not the next measurement's burden."""
    api = plane.api()
    path = f"/api/v1/namespaces/{namespace}/pods"
    api.request("DELETE", path, {"gracePeriodSeconds": 0}).must()
    until(lambda: not api.items("Pod", namespace), f"the pods of {namespace} are gone", 60)


if __name__ == "__main__":
    main()
