"""Pods that get a node per second, by a stock kube-scheduler on a real control plane.

    python -m bench.bench_throughput [--quick]

500 nodes of 8 devices; 2,000 pods of one device wait when the scheduler starts. By turns: an extender that
does nothing but bind; the binder; no extender and pods without devices; and DRA, where a DeviceClass with
extendedResourceName and ResourceSlices offer the same devices under a plain resource name. All have the
chart's scheduler configuration, without leader election. Control plane, scheduler, extender and the watch
that counts share the cores.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.arrivals import Arrivals
from bench.callers import Callers
from bench.processes import children, cpu_seconds
from bench.slices import DEVICE_CLASS, EXTENDED_RESOURCE, resource_slice
from tests.harness import binaries, components
from tests.harness.cluster import fresh_namespace, pod
from tests.harness.controlplane import ControlPlane
from tests.harness.devices import add_nodes, k80
from tests.harness.processes import Process, free_port
from tests.harness.product import Product, resource_class
from tests.harness.scheduling import NAME, Binder, Scheduling
from tests.harness.waiting import until

Json = dict[str, Any]

CLASS = "nvidia.tesla.k80"
DEVICES = 8
CALLERS = 8


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    nodes: int
    pods: int
    rounds: int
    most_seconds: float
    """Pods of DRA come so slowly that only those of this time are counted; the more there are, the slower."""


FULL, QUICK = Extent(500, 2000, 3, 40.0), Extent(500, 600, 1, 15.0)


@dataclass(frozen=True)
class Running:
    """An extender: where it listens, and the processes whose CPU counts as its own."""

    port: int = 0
    pids: Sequence[int] = ()


@dataclass(frozen=True)
class Way:
    """One way to place pods."""

    name: str
    limits: Json
    extender: Callable[[], AbstractContextManager[Running]]


@dataclass(frozen=True)
class Run:
    """What one run came to: pods per second, and milliseconds of CPU per pod and part."""

    rate: float
    server_ms: float
    scheduler_ms: float
    extender_ms: float


class Bench:
    """A control plane with the product and the nodes."""

    def __init__(self, plane: ControlPlane, extent: Extent, scheduling: Scheduling) -> None:
        self._plane = plane
        self._extent = extent
        self._scheduling = scheduling
        self._api = plane.api()

    def fill(self) -> None:
        """Make the nodes, their devices, and the same devices for DRA."""
        names = [f"node-{number}" for number in range(self._extent.nodes)]
        add_nodes(self._api, {name: [k80()] * DEVICES for name in names})
        self._api.create(DEVICE_CLASS).must()
        for name in names:
            self._api.create(resource_slice(name, DEVICES)).must()

    def ways(self) -> list[Way]:
        """Return what is compared; the first is the measure of the second."""
        key = {f"resourceclass.io/{CLASS}": "1"}
        return [
            Way("an extender that does nothing", key, self._constant),
            Way("the binder", key, self._binder),
            Way("no extender, no devices", {"cpu": "1m"}, lambda: nullcontext(Running())),
            Way("DRA extended resources", {EXTENDED_RESOURCE: "1"}, lambda: nullcontext(Running())),
        ]

    def run(self, way: Way) -> Run:
        """Let the pods wait, start the scheduler, and count."""
        count = self._extent.pods
        with fresh_namespace(self._api) as namespace:
            self._create(namespace, way.limits)
            with way.extender() as extender, Arrivals(self._plane, self._api, namespace) as arrivals:
                before = self._cpu(extender)
                with self._scheduler(extender) as scheduler:
                    rate = arrivals.rate(count, self._extent.most_seconds)
                    scheduler_ms = cpu_seconds([scheduler.pid]) * 1000
                server_ms, extender_ms = (
                    (now - then) * 1000 for now, then in zip(self._cpu(extender), before, strict=True)
                )
                bound = arrivals.count
            self._clear(namespace)
        return Run(rate, server_ms / bound, scheduler_ms / bound, extender_ms / bound)

    def _create(self, namespace: str, limits: Json) -> None:
        pods = [
            pod(f"p{number}", limits, schedulerName=NAME, terminationGracePeriodSeconds=0)
            for number in range(self._extent.pods)
        ]
        token = {"Authorization": f"Bearer {self._api.token}"}
        with Callers(self._plane.server, self._plane.pki.ca_file, CALLERS, token) as callers:
            callers.post(f"/api/v1/namespaces/{namespace}/pods", pods, 201)

    def _cpu(self, extender: Running) -> tuple[float, float]:
        """Return the CPU seconds of API server and etcd, and of the extender."""
        server = [self._plane.process(name).pid for name in ("kube-apiserver", "etcd")]
        return cpu_seconds(server), cpu_seconds(extender.pids)

    @contextmanager
    def _scheduler(self, extender: Running) -> Iterator[Process]:
        configuration = self._scheduling.configuration()
        configuration["leaderElection"] = {"leaderElect": False}
        configuration["clientConnection"]["kubeconfig"] = str(self._scheduling.kubeconfig())
        if extender.port:
            configuration["extenders"][0]["urlPrefix"] = f"http://127.0.0.1:{extender.port}"
        else:
            del configuration["extenders"]
        folder = self._plane.folder
        config, port = folder / "throughput.yaml", free_port()
        config.write_text(yaml.safe_dump(configuration))
        binary, kubeconfig = self._plane.binaries["kube-scheduler"], self._scheduling.kubeconfig()
        command = components.scheduler(binary, self._plane.layout, kubeconfig, port, config)
        with Process("kube-scheduler", command, folder / "scheduler.log") as process:
            yield process

    @contextmanager
    def _binder(self) -> Iterator[Running]:
        binder = Binder(self._scheduling, "throughput", elected=False).start().wait_ready()
        try:
            probe = {"Pod": pod("probe"), "NodeNames": []}
            until(lambda: not binder.call("filter", probe)["Error"], "the binder decides")
            yield Running(binder.port, children(binder.process.pid))
        finally:
            binder.stop()

    @contextmanager
    def _constant(self) -> Iterator[Running]:
        settings = {
            "host": "127.0.0.1",
            "port": free_port(),
            "health_host": "127.0.0.1",
            "health_port": free_port(),
            "workers": 1,
            "threads": 16,
            "drain_seconds": 0,
        }
        kubeconfig, nodes = self._scheduling.kubeconfig(), self._extent.nodes
        command = [sys.executable, "-m", "bench.constant_extender", json.dumps(settings), kubeconfig, nodes]
        with Process("constant", command, self._plane.folder / "constant.log") as process:
            process.wait_listening(settings["port"])
            time.sleep(1.0)
            yield Running(settings["port"], children(process.pid))

    def _clear(self, namespace: str) -> None:
        """Take the pods away, and what DRA holds for them, so that they are not the next run's burden."""
        path = f"/api/v1/namespaces/{namespace}/pods"
        self._api.request("DELETE", path, {"gracePeriodSeconds": 0}).must()
        for kind in ("Pod", "resource.k8s.io/v1/ResourceClaim"):
            until(
                lambda kind=kind: not self._api.items(kind, namespace, limit="1"), f"no {kind} is left", 120
            )


def main(*, quick: bool = False) -> None:
    """Print the figures."""
    extent = QUICK if quick else FULL
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with _bench(paths, extent) as bench:
        ways = bench.ways()
        rounds = [[bench.run(way) for way in ways] for _ in range(extent.rounds)]
    print(f"{extent.pods} pods, {extent.nodes} nodes of {DEVICES} devices, median of {extent.rounds} rounds")
    print("CPU: milliseconds per pod")
    print(f"{'':32}{'pods/s':>8}{'ratio':>7}{'API server':>12}{'scheduler':>11}{'extender':>10}")
    for number, way in enumerate(ways):
        _print(way.name, [each[number] for each in rounds], [each[0] for each in rounds])
    print(f"load {os.getloadavg()[0]:.1f} at the end")


@contextmanager
def _bench(paths: dict[str, Path], extent: Extent) -> Iterator[Bench]:
    with ExitStack() as stack:
        plane = stack.enter_context(ControlPlane(paths))
        product = stack.enter_context(Product(plane, replicas=1))
        plane.api().create(resource_class(CLASS, {"model": "NVIDIA Tesla K80"})).must()
        bench = Bench(plane, extent, Scheduling(product))
        bench.fill()
        yield bench


def _print(name: str, runs: Sequence[Run], measure: Sequence[Run]) -> None:
    rate = statistics.median(run.rate for run in runs)
    ratio = statistics.median(run.rate / base.rate for run, base in zip(runs, measure, strict=True))
    cpu = [
        statistics.median(getattr(run, f"{part}_ms") for run in runs)
        for part in ("server", "scheduler", "extender")
    ]
    print(f"{name:32}{rate:8.0f}{ratio:7.2f}{cpu[0]:12.1f}{cpu[1]:11.1f}{cpu[2]:10.1f}", flush=True)


if __name__ == "__main__":
    main(quick="--quick" in sys.argv)
