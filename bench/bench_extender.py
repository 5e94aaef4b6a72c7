"""The binder as kube-scheduler calls it: what each verb takes, time to ready, and memory.

    python -m bench.bench_extender [--quick]

The real process over HTTP on a kept connection, at 100, 1,000 and 5,000 nodes of 8 devices, half of them
taken, 30 classes, with all names of nodes in each call of filter. Its API server is played
(bench/played_api.py): the figures of bind hold our part of it alone. After the waiting pods are bound, others
that no node can serve are asked about while nodes report that nothing has changed.
"""

import http.client
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.many_devices import NAMESPACE, node_name, pod
from bench.played_api import waiting_pods
from bench.processes import children, resident_mib
from tests.harness.processes import Process, free_port
from tests.harness.waiting import until
from tests.harness.workdir import WorkDir

Json = dict[str, Any]

SIZES, QUICK_SIZES = (100, 1000, 5000), (100, 1000)
BOUND, WAITING = 400, 2000
HEARTBEATS = 500  # nodes a second; a kubelet with nothing new writes its node every five minutes
NEW_SHAPES = 20
START_SECONDS = 60.0


class Binder:
    """The process, and one kept connection to it."""

    def __init__(self, process: Process, port: int, health_port: int) -> None:
        self._process = process
        self._health_port = health_port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.ready_seconds = self._until_ready()
        until(self._decides, "the binder decides", START_SECONDS)

    def call(self, verb: str, body: bytes) -> tuple[Any, float]:
        """Return the answer and the milliseconds that it took."""
        begun = time.perf_counter()
        self._connection.request("POST", f"/{verb}", body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        taken = (time.perf_counter() - begun) * 1000
        document = json.loads(text)
        if answer.status != 200 or (isinstance(document, dict) and document["Error"]):
            raise RuntimeError(f"{verb}: {answer.status} {text[:500]!r}")
        return document, taken

    def resident_mib(self) -> float:
        """Return the memory of the process that answers."""
        return max(map(resident_mib, children(self._process.pid)))

    def _until_ready(self) -> float:
        begun = time.monotonic()
        until(self._is_ready, "the binder is ready", START_SECONDS)
        return time.monotonic() - begun

    def _is_ready(self) -> bool:
        self._process.check()
        connection = http.client.HTTPConnection("127.0.0.1", self._health_port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def _decides(self) -> bool:
        """After its start it waits for Bindings of a process before it."""
        try:
            self.call("filter", _arguments(pod("probe", {}), []))
        except (RuntimeError, OSError):
            self._connection.close()
            return False
        return True


@dataclass(frozen=True)
class Figures:
    """What one size came to; lists are milliseconds."""

    nodes: int
    ready_seconds: float
    memory_mib: tuple[float, float]
    first_ms: float
    new_shapes_ms: Sequence[float]
    filter_ms: Sequence[float]
    prioritize_ms: Sequence[float]
    bind_ms: Sequence[float]
    refused_ms: Sequence[float]


def main(*, quick: bool = False) -> None:
    """Print the figures."""
    print(f"{BOUND} pods filtered, prioritized and bound, one after the other; milliseconds")
    print(f"new: {NEW_SHAPES} kinds of pod that nobody has asked about before")
    print(f"refused: {WAITING} pods that fit nowhere, while {HEARTBEATS} nodes a second report")
    for nodes in QUICK_SIZES if quick else SIZES:
        _print(_measure(nodes))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


@contextmanager
def _binder(nodes: int) -> Iterator[Binder]:
    """A binder over a played API server, alone and not elected."""
    with ExitStack() as stack:
        work = WorkDir()
        stack.callback(work.remove)
        api_port, port, health_port = free_port(), free_port(), free_port()
        played = [sys.executable, "-m", "bench.played_api", *map(str, (api_port, nodes, BOUND, HEARTBEATS))]
        api = stack.enter_context(Process("played-api", played, work.path / "api.log"))
        api.wait_listening(api_port, START_SECONDS)
        flags = {
            "kubeconfig": _kubeconfig(work.path, api_port),
            "port": port,
            "health-host": "127.0.0.1",
            "health-port": health_port,
            "run-dir": work.path,
        }
        command = [
            sys.executable,
            "-m",
            "webhook",
            "binder",
            *(f"--{key}={value}" for key, value in flags.items()),
        ]
        process = stack.enter_context(Process("binder", command, work.path / "binder.log"))
        yield Binder(process, port, health_port)


def _kubeconfig(folder: Path, port: int) -> Path:
    path = folder / "kubeconfig"
    config = {
        "current-context": "played",
        "contexts": [{"name": "played", "context": {"cluster": "played", "user": "played"}}],
        "clusters": [{"name": "played", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "played", "user": {}}],
    }
    path.write_text(json.dumps(config))
    return path


def _measure(nodes: int) -> Figures:
    names = [node_name(number) for number in range(nodes)]
    with _binder(nodes) as binder:
        started_mib = binder.resident_mib()
        _, first = binder.call("filter", _arguments(pod("first", {"model-1": 1}), names))
        new = [binder.call("filter", _arguments(each, names))[1] for each in _new_shapes()]
        cycles = [_cycle(binder, each, names) for each in waiting_pods(BOUND)]
        refused = [binder.call("filter", _arguments(each, names))[1] for each in _misfits()]
        return Figures(
            nodes,
            binder.ready_seconds,
            (started_mib, binder.resident_mib()),
            first,
            new,
            *map(list, zip(*cycles[1:], strict=True)),
            refused[4:],  # the first of each kind is new
        )


def _cycle(binder: Binder, waiting: Json, names: Sequence[str]) -> tuple[float, float, float]:
    """Place one pod as the scheduler does; returns what each verb took."""
    found, filter_ms = binder.call("filter", _arguments(waiting, names))
    scores, prioritize_ms = binder.call("prioritize", _arguments(waiting, found["NodeNames"]))
    best = max(scores, key=lambda each: each["Score"])["Host"]
    metadata = waiting["metadata"]
    asked = {
        "PodName": metadata["name"],
        "PodNamespace": NAMESPACE,
        "PodUID": metadata["uid"],
        "Node": best,
    }
    _, bind_ms = binder.call("bind", json.dumps(asked).encode())
    return filter_ms, prioritize_ms, bind_ms


def _new_shapes() -> Iterator[Json]:
    """Yield pods of which none asks like another."""
    for number in range(NEW_SHAPES):
        asked = ({f"model-{number}": 2}, {f"share-{number % 6 + 1}": 1}, {"memory-24": number % 3 + 1})
        yield pod(f"new-{number}", *asked[: number % 3 + 1])


def _misfits() -> Iterator[Json]:
    """Yield pods that fit nowhere, of four kinds."""
    for number in range(WAITING):
        yield pod(f"misfit-{number}", {f"model-{number % 4}": 9})


def _arguments(asking: Json, names: Sequence[str]) -> bytes:
    return json.dumps({"Pod": asking, "Nodes": None, "NodeNames": list(names)}).encode()


def _print(figures: Figures) -> None:
    memory = "{:.0f} MiB, {:.0f} MiB at the end".format(*figures.memory_mib)
    print(f"\n{figures.nodes} nodes: ready after {figures.ready_seconds:.1f} s, {memory}")
    print(f"  {'filter, the very first':24}{figures.first_ms:8.1f}")
    rows = {
        "filter, new": figures.new_shapes_ms,
        "filter": figures.filter_ms,
        "prioritize": figures.prioritize_ms,
        "bind": figures.bind_ms,
        "filter, refused": figures.refused_ms,
    }
    print(f"  {'':24}{'p50':>8}{'p99':>8}{'longest':>9}")
    for name, taken in rows.items():
        cuts = statistics.quantiles(taken, n=100)
        print(f"  {name:24}{cuts[49]:8.1f}{min(cuts[98], max(taken)):8.1f}{max(taken):9.1f}", flush=True)


if __name__ == "__main__":
    main(quick="--quick" in sys.argv)
