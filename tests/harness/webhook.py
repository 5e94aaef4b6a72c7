"""The product's webhook as processes: several replicas behind one address."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.harness.processes import Process, StartError, free_port, tail
from tests.harness.proxy import Proxy
from tests.harness.waiting import until

READY_SECONDS = 30.0
HEALTH_SECONDS = 5.0
# Nobody moves endpoints here, so a stopped replica need not go on serving.
FAST_STOP = ("--drain-seconds=0", "--graceful-seconds=5")


@dataclass(frozen=True)
class Replica:
    """One `resourceclass webhook` with its two ports."""

    process: Process
    port: int
    health_port: int

    def health(self, path: str) -> httpx.Response:
        """Asks the health port: /livez, /readyz or /metrics."""
        url = f"http://127.0.0.1:{self.health_port}{path}"
        return httpx.get(url, timeout=HEALTH_SECONDS, trust_env=False)

    def wait_ready(self) -> None:
        """Raises StartError with the end of the log when it ends, or is not ready in time."""
        try:
            until(self.ready, f"{self.process.name} is ready", READY_SECONDS)
        except TimeoutError as error:
            raise StartError(f"{error}; its log ends:\n{tail(self.process.log)}") from error

    def ready(self) -> bool:
        self.process.check()
        try:
            return self.health("/readyz").status_code == 200
        except httpx.TransportError:
            return False


class Webhook:
    """Replicas that are started with the given arguments, and the proxy before them, which stays when they
    stop."""

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[str],
        replicas: int = 2,
        stopping: Sequence[str] = FAST_STOP,
    ) -> None:
        self._folder = folder
        self._arguments = [*arguments, *stopping, f"--run-dir={folder}"]
        self._count = replicas
        self._proxy = Proxy()
        self._proxy.start()
        self.replicas: list[Replica] = []

    @property
    def url(self) -> str:
        return f"https://{self.address}"

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._proxy.port}"

    def send_to(self, replicas: Sequence[Replica]) -> None:
        """Moves the endpoints: new connections go to these replicas alone."""
        self._proxy.send_to([replica.port for replica in replicas])

    def start(self) -> None:
        """Starts the replicas and returns when all are ready."""
        self.replicas = [self._start(number) for number in range(self._count)]
        for replica in self.replicas:
            replica.wait_ready()
        self.send_to(self.replicas)

    def stop(self) -> None:
        """Stops the replicas; the address then takes connections and closes them."""
        for replica in self.replicas:
            replica.process.send(signal.SIGTERM)
        for replica in self.replicas:
            replica.process.join()
        self.replicas = []

    def close(self) -> None:
        self.stop()
        self._proxy.stop()

    def metric(self, name: str, **labels: str) -> float:
        """The sum over all replicas of the samples that have these labels."""
        return sum(_sum(replica.health("/metrics").text, name, labels) for replica in self.replicas)

    def _start(self, number: int) -> Replica:
        port, health_port = free_port(), free_port()
        where = [
            "--host=127.0.0.1",
            f"--port={port}",
            "--health-host=127.0.0.1",
            f"--health-port={health_port}",
        ]
        command = [sys.executable, "-m", "webhook", *self._arguments, *where]
        log = self._folder / f"webhook-{number}.log"
        # SIGTERM, so that the parent of the workers takes them along.
        process = Process(f"webhook-{number}", command, log, death_signal=signal.SIGTERM)
        return Replica(process, port, health_port)


def _sum(text: str, name: str, labels: dict[str, str]) -> float:
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())
