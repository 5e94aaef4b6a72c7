"""`resourceclass controller` as a process: with the chart's arguments, under the chart's account."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.harness import chart
from tests.harness.processes import Process, StartError, free_port, tail
from tests.harness.product import Product
from tests.harness.waiting import until

Json = dict[str, Any]

NAME = "resourceclass-controller"  # of the Deployment, the account, the Lease and the field manager
USER = f"system:serviceaccount:{chart.NAMESPACE}:{NAME}"
READY_SECONDS = 30.0
LEAD_SECONDS = 40.0  # the Lease of one that was killed lasts for 15
CALL_SECONDS = 10.0


class Controller:
    """One replica. It can be killed and started again; its health port stays the same."""

    def __init__(self, product: Product, name: str = "controller", options: Sequence[str] = ()) -> None:
        """Options come after the chart's arguments, and win over them."""
        self._product = product
        self.name = name
        self._options = list(options)
        self.health_port = free_port()
        self.process: Process

    def __enter__(self) -> Self:
        return self.start().wait_leading()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def kubeconfig(self) -> Path:
        """Of the service account that the chart makes for it."""
        plane = self._product.plane
        return plane.kubeconfig(plane.service_account_token(chart.NAMESPACE, NAME))

    def start(self) -> Self:
        """Starts the process and does not wait."""
        folder = self._product.plane.folder
        given = chart.container_arguments(self._product.objects, NAME)
        own = [
            f"--kubeconfig={self.kubeconfig}",
            f"--identity={self.name}",
            "--health-host=127.0.0.1",
            f"--health-port={self.health_port}",
            f"--run-dir={folder}",
        ]
        command = [sys.executable, "-m", "webhook", *given, *own, *self._options]
        log = folder / f"webhook-{self.name}.log"  # shown beside a test that failed
        self.process = Process(self.name, command, log, death_signal=signal.SIGTERM)
        return self

    def wait_ready(self) -> Self:
        """Returns when all lists are there, whether it leads or stands by."""
        return self._wait(lambda: self.health("/readyz") == 200, "is ready", READY_SECONDS)

    def wait_leading(self, seconds: float = LEAD_SECONDS) -> Self:
        """Returns when it holds the Lease."""
        return self._wait(self.leads, "leads", seconds)

    def leads(self) -> bool:
        return self.metric("resourceclass_controller_leading") == 1

    def health(self, path: str) -> int:
        """The status of a path of the health port; 0 while nobody listens."""
        self.process.check()
        try:
            return self._get(path).status_code
        except httpx.TransportError:
            return 0

    def metric(self, name: str, **labels: str) -> float:
        """The sum of the samples that have these labels; 0 while nobody listens."""
        self.process.check()
        try:
            text = self._get("/metrics").text
        except httpx.TransportError:
            return 0
        samples = (s for family in text_string_to_metric_families(text) for s in family.samples)
        return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())

    def kill(self) -> None:
        """Ends it without a chance to say goodbye: the Lease stays behind."""
        if self.process.alive():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()

    def stop(self) -> int:
        """Ends it as the kubelet does, and returns its exit code."""
        return self.process.stop()

    def _wait(self, check: Any, what: str, seconds: float) -> Self:
        try:
            until(check, f"{self.name} {what}", seconds)
        except TimeoutError as error:
            raise StartError(f"{error}; its log ends:\n{tail(self.process.log)}") from error
        return self

    def _get(self, path: str) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self.health_port}{path}", timeout=CALL_SECONDS, trust_env=False)


def holder(product: Product) -> str:
    """The name of the replica that holds the Lease, empty when none does."""
    answer = product.plane.api().get("coordination.k8s.io/v1/Lease", NAME, chart.NAMESPACE)
    identity = answer.body.get("spec", {}).get("holderIdentity") or ""
    return str(identity).rpartition("_")[0]
