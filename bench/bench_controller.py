"""From nodes that have labels and nothing else to all devices, classes, labels and capacity in place.

    python -m bench.bench_controller [NODES] [RUNS]

A third each of the nodes has 1, 4 and 8 devices, of 30 models, labelled as Alibaba Cloud does. Each run has a
control plane of its own, on this machine too; the median of the runs is printed. Then the controller is
restarted on the finished cluster, where it must write nothing.
"""

import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bench.processes import cpu_seconds, resident_mib
from tests.harness import binaries
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.controller import USER, Controller
from tests.harness.controlplane import ControlPlane
from tests.harness.devices import AMOUNTS
from tests.harness.product import Product
from tests.harness.waiting import until

Json = dict[str, Any]

SMALL_NODES, RUNS = 300, 1
DEVICES, MODELS = (1, 4, 8), 30
CALLERS = 8
WAIT_SECONDS = 1200.0
READS = ("get", "list", "watch")


@dataclass(frozen=True)
class Run:
    """One run; seconds begin with the start of the process."""

    ready_seconds: float
    done_seconds: float
    cpu_seconds: float
    memory_mib: float
    calls: Counter[str]
    again_seconds: float
    again_writes: int


def main(nodes: int = SMALL_NODES, runs: int = RUNS) -> None:
    """Print the figures."""
    done = [_run(nodes) for _ in range(runs)]
    devices = sum(DEVICES[number % len(DEVICES)] for number in range(nodes))
    writes = [sum(count for verb, count in run.calls.items() if verb.split()[0] not in READS) for run in done]
    print(f"{nodes} nodes, {devices} devices, {MODELS} models; median of {runs}")
    _print("caches ready", [run.ready_seconds for run in done], "s")
    _print("everything in place", [run.done_seconds for run in done], "s")
    _print("CPU of the controller by then", [run.cpu_seconds for run in done], "s")
    _print("writes per node", [count / nodes for count in writes], "")
    _print("writes per second", [w / r.done_seconds for w, r in zip(writes, done, strict=True)], "")
    _print("memory", [run.memory_mib for run in done], "MiB")
    _print("looked through after a restart", [run.again_seconds for run in done], "s")
    _print("writes of the restarted one", [float(run.again_writes) for run in done], "")
    print("calls of the last run: " + ", ".join(f"{n} {name}" for name, n in done[-1].calls.most_common()))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


def _run(nodes: int) -> Run:
    with _cluster(nodes) as product:
        audit, api = product.plane.audit, product.plane.api()
        mark, begun = audit.mark(), time.monotonic()
        controller = Controller(product).start().wait_ready()
        try:
            ready = time.monotonic() - begun
            done = _finished(controller, api, nodes) - begun
            pid = controller.process.pid
            cpu, memory = cpu_seconds([pid]), resident_mib(pid)
            calls = Counter(map(_name, _calls(audit, mark)))
        finally:
            controller.stop()
        mark, begun = audit.mark(), time.monotonic()
        controller.start().wait_ready()
        try:
            again = _idle(controller, nodes) - begun
            wrote = [event for event in _calls(audit, mark) if event["verb"] not in READS]
        finally:
            controller.stop()
        return Run(ready, done, cpu, memory, calls, again, len(wrote))


@contextmanager
def _cluster(nodes: int) -> Iterator[Product]:
    paths = binaries.ensure(lambda line: print(line, flush=True))
    with ControlPlane(paths) as plane, Product(plane, replicas=1) as product:
        api = plane.api()
        with ThreadPoolExecutor(CALLERS) as callers:
            list(callers.map(lambda number: api.create(_node(number)).must(), range(nodes)))
        yield product


def _finished(controller: Controller, api: Api, nodes: int) -> float:
    """Return when everything is in place, by the monotonic clock."""
    until_then = time.monotonic() + WAIT_SECONDS
    while True:
        at = _idle(controller, nodes)
        wrong = [node["metadata"]["name"] for node in api.items("Node") if not _is_right(node)]
        statuses = [obj.get("status", {}).get("devices") for obj in api.items("ResourceClass")]
        if not wrong and len(statuses) == MODELS and all(statuses):
            return at
        if at > until_then:
            raise TimeoutError(f"{len(wrong)} nodes are not right, such as {wrong[:3]}")


def _idle(controller: Controller, nodes: int) -> float:
    """Wait until all nodes were looked at and nothing waits for a worker."""

    def idle() -> bool:
        seen = controller.metric("resourceclass_controller_work_total", kind="node", result="done")
        return seen >= nodes and not controller.metric("resourceclass_controller_queue_depth")

    until(idle, "the queue is empty", WAIT_SECONDS)
    return time.monotonic()


def _is_right(node: Json) -> bool:
    number = int(node["metadata"]["name"].removeprefix("node-"))
    wanted = str(DEVICES[number % len(DEVICES)])
    labels = [v for k, v in node["metadata"]["labels"].items() if k.startswith("class.resourceclass.io/")]
    amounts = [v for k, v in node["status"]["allocatable"].items() if k.startswith("resourceclass.io/")]
    return labels == amounts == [wanted]


def _node(number: int) -> Json:
    labels = {
        "kubernetes.io/hostname": f"node-{number}",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "ecs.gn6i-c4g1.xlarge",
        "topology.kubernetes.io/region": "cn-hangzhou",
        "topology.kubernetes.io/zone": f"cn-hangzhou-{'abc'[number % 3]}",
        "aliyun.accelerator/nvidia_name": f"Tesla-X{number // len(DEVICES) % MODELS}",
        "aliyun.accelerator/nvidia_mem": "15109MiB",
        "aliyun.accelerator/nvidia_count": str(DEVICES[number % len(DEVICES)]),
    }
    ready = {"type": "Ready", "status": "True", "reason": "Bench", "message": "made by a benchmark"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node-{number}", "labels": labels},
        "status": {"capacity": AMOUNTS, "allocatable": AMOUNTS, "conditions": [ready]},
    }


def _calls(audit: AuditLog, since: int) -> list[Json]:
    """Return the calls of the controller, but for those about its Lease, which come with time alone."""
    events = audit.entries(since, user=USER)
    return [event for event in events if event.get("objectRef", {}).get("resource") != "leases"]


def _name(event: Json) -> str:
    reference = event.get("objectRef", {})
    parts = (reference.get("resource", ""), reference.get("subresource"))
    return f"{event['verb']} {'/'.join(part for part in parts if part)}"


def _print(what: str, values: list[float], unit: str) -> None:
    print(f"{what:36}{statistics.median(values):10.1f} {unit}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
