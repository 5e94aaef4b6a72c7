"""The scheduler of class pods as processes: what the Deployment of the chart would run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx
import yaml

from tests.harness import chart
from tests.harness.processes import Process, StartError, free_port, tail
from tests.harness.product import Product
from tests.harness.waiting import until

Json = dict[str, Any]

NAME = "resourceclass-scheduler"  # of the Deployment, the ConfigMap and the Lease
ACCOUNT = "resourceclass-binder"
VALUES: Json = {"scheduler": {"enabled": True, "image": "example.com/kube-scheduler:any"}}
READY_SECONDS = 30.0
CALL_SECONDS = 10.0
# A hand-over after a kill takes the duration of the Lease: 15 seconds by default.
SHORT_LEASE = {"leaseDuration": "6s", "renewDeadline": "4s", "retryPeriod": "1s"}

# Runs in the child, before the program: gives it a host name of its own, as each pod has one, for that is the
# identity in the Lease. A user who is not root needs a user namespace for it, and that one forgets the signal
# asked for at the parent's death.
_LAUNCHER = """
import ctypes, os, sys
number, name, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
new_names, new_users = 0x04000000, 0x10000000
if libc.unshare(new_names) != 0 and libc.unshare(new_names | new_users) != 0:
    sys.exit(f"cannot have a host name of its own: {os.strerror(ctypes.get_errno())}")
if libc.sethostname(name.encode(), len(name)) != 0:
    sys.exit(f"cannot set its host name: {os.strerror(ctypes.get_errno())}")
libc.prctl(1, int(number))
os.execv(command[0], command)
"""


class Scheduling:
    """What the chart adds when the scheduler is enabled, applied to a control plane with the product."""

    def __init__(self, product: Product) -> None:
        self.plane = product.plane
        values = {**chart.REQUIRED, "webhook": {"caBundle": product.ca_file.read_text()}, **VALUES}
        rendered = chart.render(self.plane.binaries["helm"], values)
        there = {_key(obj) for obj in product.objects}
        self.objects = [obj for obj in rendered if _key(obj) not in there]
        chart.apply(self.plane.api(), self.objects)

    @property
    def folder(self) -> Path:
        return self.plane.folder

    def kubeconfig(self, server: str | None = None) -> Path:
        """A kubeconfig of the pods' service account, on request for another address of the server."""
        path = self.plane.kubeconfig(self.plane.service_account_token(chart.NAMESPACE, ACCOUNT))
        if server is not None:
            path.write_text(path.read_text().replace(self.plane.server, server))
        return path

    def configuration(self) -> Json:
        """The chart's KubeSchedulerConfiguration."""
        (found,) = (obj for obj in self.objects if obj["kind"] == "ConfigMap")
        configuration: Json = yaml.safe_load(found["data"]["scheduler.yaml"])
        return configuration

    def binder_arguments(self) -> list[str]:
        """The arguments that the chart gives to the binder."""
        (found,) = (obj for obj in self.objects if obj["kind"] == "Deployment")
        containers = {each["name"]: each for each in found["spec"]["template"]["spec"]["containers"]}
        arguments: list[str] = containers["binder"]["args"]
        return arguments

    def holder(self) -> str:
        """The pod that holds the Lease, empty when none does."""
        answer = self.plane.api().get("coordination.k8s.io/v1/Lease", NAME, chart.NAMESPACE)
        identity = answer.body.get("spec", {}).get("holderIdentity") or ""
        return str(identity).rpartition("_")[0]


class Binder:
    """`resourceclass binder` with the chart's arguments; what differs here comes after them and wins."""

    def __init__(
        self, scheduling: Scheduling, host_name: str, *, kubeconfig: Path | None = None, elected: bool = True
    ) -> None:
        """Without `elected` no Lease is followed: it is alone and decides."""
        self._scheduling = scheduling
        self._host_name = host_name
        self._elected = elected
        self._kubeconfig = kubeconfig or scheduling.kubeconfig()
        self.port, self.health_port = free_port(), free_port()
        self.process: Process

    def start(self) -> Self:
        """Starts the process and does not wait; its address is the same every time."""
        run_dir = self._scheduling.folder
        given = self._scheduling.binder_arguments()
        if not self._elected:
            given = [argument for argument in given if not argument.startswith("--lease-")]
        where = [f"--port={self.port}", "--health-host=127.0.0.1", f"--health-port={self.health_port}"]
        own = [f"--kubeconfig={self._kubeconfig}", f"--run-dir={run_dir}"]
        command = [sys.executable, "-m", "webhook", *given, *where, *own]
        self.process = _start(f"binder-{self._host_name}", self._host_name, command, run_dir, signal.SIGTERM)
        return self

    def wait_ready(self) -> Self:
        """Raises StartError with the end of the log when it ends, or is not ready in time."""
        try:
            until(self.ready, f"{self.process.name} is ready", READY_SECONDS)
        except TimeoutError as error:
            raise StartError(f"{error}; its log ends:\n{tail(self.process.log)}") from error
        return self

    def ready(self) -> bool:
        self.process.check()
        try:
            return self.health("/readyz").status_code == 200
        except httpx.TransportError:
            return False

    def health(self, path: str) -> httpx.Response:
        """Asks the health port: /livez, /readyz or /metrics."""
        return httpx.get(f"http://127.0.0.1:{self.health_port}{path}", timeout=CALL_SECONDS, trust_env=False)

    def call(self, verb: str, arguments: Json) -> Json:
        """Calls a verb as kube-scheduler does; an answer that is no 200 fails the test."""
        url = f"http://127.0.0.1:{self.port}/{verb}"
        answer = httpx.post(url, json=arguments, timeout=CALL_SECONDS, trust_env=False)
        assert answer.status_code == 200, f"{answer.status_code}: {answer.text}"
        body: Json = answer.json()
        return body

    def kill(self) -> None:
        """Ends all of its processes at once, without a chance to say goodbye."""
        _kill(self.process)

    def stop(self) -> None:
        self.process.stop()


class SchedulerPod:
    """One replica of the Deployment: kube-scheduler and its binder under one host name."""

    def __init__(
        self,
        scheduling: Scheduling,
        name: str,
        lease: Mapping[str, str] = SHORT_LEASE,
        kubeconfig: Path | None = None,
    ) -> None:
        self._scheduling = scheduling
        self.name = name
        self.binder = Binder(scheduling, name, kubeconfig=kubeconfig)
        self._config = scheduling.folder / f"scheduler-{name}.yaml"
        self._config.write_text(yaml.safe_dump(self._configuration(lease)))
        self.scheduler: Process

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Starts both; returns when the binder is ready and the scheduler is up, leading or not."""
        self.binder.start()
        port, folder = free_port(), self._scheduling.folder
        command = [
            str(self._scheduling.plane.binaries["kube-scheduler"]),
            f"--config={self._config}",
            "--bind-address=127.0.0.1",
            f"--secure-port={port}",
        ]
        self.scheduler = _start(f"scheduler-{self.name}", self.name, command, folder, signal.SIGKILL)
        self.scheduler.wait_listening(port)
        self.binder.wait_ready()
        return self

    def wait_leading(self, seconds: float = 30.0) -> Self:
        until(lambda: self._scheduling.holder() == self.name, f"{self.name} holds the Lease", seconds)
        return self

    def kill(self) -> None:
        """Both at once, as when a node is lost: the Lease stays behind until it has run out."""
        _kill(self.scheduler)
        self.binder.kill()

    def stop(self) -> None:
        """As the kubelet does: both get SIGTERM, and the scheduler gives up the Lease."""
        for process in (self.scheduler, self.binder.process):
            process.send(signal.SIGTERM)
        for process in (self.scheduler, self.binder.process):
            process.join()

    def _configuration(self, lease: Mapping[str, str]) -> Json:
        """The chart's, at this binder's port and with this account's kubeconfig."""
        configuration = self._scheduling.configuration()
        (extender,) = configuration["extenders"]
        extender["urlPrefix"] = f"http://127.0.0.1:{self.binder.port}"
        configuration["clientConnection"]["kubeconfig"] = str(self._scheduling.kubeconfig())
        configuration["leaderElection"].update(lease)
        return configuration


def _start(
    name: str, host_name: str, command: Sequence[str], folder: Path, death_signal: signal.Signals
) -> Process:
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(int(death_signal)), host_name]
    return Process(name, [*launcher, *command], folder / f"{name}.log", death_signal=death_signal)


def _kill(process: Process) -> None:
    if process.alive():
        os.killpg(process.pid, signal.SIGKILL)  # each has a session, and so a group, of its own
    process.join()


def _key(obj: Json) -> tuple[str, str, str]:
    metadata = obj["metadata"]
    return obj["kind"], metadata.get("namespace", ""), metadata["name"]
