"""Starts and stops a control plane, and gives out identities in it."""

from __future__ import annotations

import itertools
import json
import secrets
import signal
from pathlib import Path
from typing import Self

from tests.harness import components
from tests.harness.api import Api, Connection
from tests.harness.audit import POLICY, AuditLog
from tests.harness.kubectl import Kubectl, write_kubeconfig
from tests.harness.pki import Pki
from tests.harness.processes import Process, StartError, free_port
from tests.harness.waiting import until
from tests.harness.workdir import WorkDir

START_SECONDS = 60.0  # about ten on two idle cores
ATTEMPTS = 3  # another run may take a port between our choosing it and our listening on it

# Tokens are made per run: with fixed ones, two runs on a machine could use each other's server unnoticed.
USERS = {
    "admin": ("test-admin", ",system:masters"),
    "controller-manager": ("system:kube-controller-manager", ""),
    "scheduler": ("system:kube-scheduler", ""),
}


class ControlPlane:
    """etcd, kube-apiserver and kube-controller-manager on loopback, with a folder of their own."""

    def __init__(self, binaries: dict[str, Path]) -> None:
        self.binaries = binaries
        self._work = WorkDir()
        self.folder = self._work.path
        self.pki = Pki(self.folder / "pki")
        self._tokens = {name: secrets.token_urlsafe(32) for name in USERS}
        self._processes: dict[str, Process] = {}
        self._numbers = itertools.count()
        self._connection: Connection | None = None
        self.layout: components.Layout

    def start(self) -> Self:
        """Returns once everything is ready; raises StartError or TimeoutError and leaves nothing running."""
        try:
            self._prepare()
            self._start_storage_and_server()
            self._start_controller_manager()
            self._wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Ends all processes, clients before servers, and removes the folder."""
        self._stop_processes()
        if self._connection is not None:
            self._connection.close()
        self._work.remove()

    def _stop_processes(self) -> None:
        """Kills them: their data is not needed any more, and a clean end takes seconds."""
        for name in reversed(list(self._processes)):
            self._processes.pop(name).stop(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def server(self) -> str:
        return self.layout.server

    @property
    def audit(self) -> AuditLog:
        return AuditLog(self.layout.audit_log)

    def api(self, token: str | None = None) -> Api:
        """A client as the owner of the token, else as cluster admin, who may `impersonate` any other user."""
        if self._connection is None:
            self._connection = Connection(self.server, self.pki.ca_file)
        return Api(self._connection, token or self._tokens["admin"])

    def service_account_token(self, namespace: str, name: str) -> str:
        """A token of the account by TokenRequest, as a pod would have it."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        token: str = self.api().request("POST", path, request).must()["status"]["token"]
        return token

    def kubeconfig(
        self, token: str | None = None, user: str | None = None, groups: tuple[str, ...] = ()
    ) -> Path:
        """Writes a kubeconfig: of the admin, of a token, or of the admin acting as a user with groups."""
        path = self.folder / f"kubeconfig-{next(self._numbers)}"
        return write_kubeconfig(
            path, self.server, self.pki.ca_file, token or self._tokens["admin"], user=user, groups=groups
        )

    def kubectl(self, user: str | None = None, groups: tuple[str, ...] = ()) -> Kubectl:
        return Kubectl(self.binaries["kubectl"], self.kubeconfig(user=user, groups=groups))

    def process(self, name: str) -> Process:
        """`etcd`, `kube-apiserver`, `kube-controller-manager` or `kube-scheduler`."""
        return self._processes[name]

    def stop_api_server(self) -> None:
        """Ends it within a second or two: left alone it would wait for open watches to end."""
        self._processes["kube-apiserver"].stop(seconds=2)

    def start_api_server(self) -> None:
        """Starts the server at its address, on the data that is there."""
        command = components.api_server(self.binaries["kube-apiserver"], self.layout)
        self._run("kube-apiserver", command).wait_listening(self.layout.api_port, START_SECONDS)
        until(self._server_ready, "the API server answers /readyz", START_SECONDS)

    def start_scheduler(self, config: Path | None = None) -> Process:
        """Starts the stock scheduler, with a KubeSchedulerConfiguration if one is given."""
        port = free_port()
        kubeconfig = self.kubeconfig(token=self._tokens["scheduler"])
        command = components.scheduler(self.binaries["kube-scheduler"], self.layout, kubeconfig, port, config)
        process = self._run("kube-scheduler", command)
        process.wait_listening(port)
        return process

    def _prepare(self) -> None:
        rows = [f"{self._tokens[key]},{user},{key}{group}" for key, (user, group) in USERS.items()]
        tokens = self.folder / "tokens.csv"
        tokens.touch(mode=0o600)
        tokens.write_text("\n".join(rows) + "\n")
        (self.folder / "audit-policy.json").write_text(json.dumps(POLICY))

    def _start_storage_and_server(self) -> None:
        serving, tokens = self.pki.serving("kube-apiserver"), self.pki.serving("service-accounts")
        for attempt in itertools.count(1):
            ports = (free_port(), free_port(), free_port())
            self.layout = components.Layout(self.folder, *ports, self.pki.ca_file, serving, tokens)
            try:
                etcd = self._run("etcd", components.etcd(self.binaries["etcd"], self.layout))
                etcd.wait_listening(self.layout.etcd_port)
                self.start_api_server()
                return
            except StartError:
                if attempt == ATTEMPTS:
                    raise
                self._stop_processes()

    def _start_controller_manager(self) -> None:
        port = free_port()
        kubeconfig = self.kubeconfig(token=self._tokens["controller-manager"])
        binary = self.binaries["kube-controller-manager"]
        self._run(
            "kube-controller-manager", components.controller_manager(binary, self.layout, kubeconfig, port)
        )
        self._processes["kube-controller-manager"].wait_listening(port)

    def _run(self, name: str, command: list[str]) -> Process:
        self._processes[name] = Process(name, command, self.folder / f"{name}.log")
        return self._processes[name]

    def _wait_ready(self) -> None:
        def account() -> bool:
            for process in self._processes.values():
                process.check()
            return self.api().get("ServiceAccount", "default", "default").ok

        until(account, "the controllers have made the default service account", START_SECONDS)

    def _server_ready(self) -> bool:
        self._processes["kube-apiserver"].check()
        return self.api().request("GET", "/readyz").ok
