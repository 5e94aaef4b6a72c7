"""The command lines of the control plane's programs. What is not said here is Kubernetes' default."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# Controllers that need a cloud or a pod network.
WITHOUT = (
    "node-ipam-controller",
    "service-lb-controller",
    "node-route-controller",
    "cloud-node-lifecycle-controller",
)
SERVICE_RANGE = "10.96.0.0/16"
# From the range for documentation (RFC 5737): the server wants an address that is not loopback, also on a
# machine that has no other.
ADVERTISED = "192.0.2.1"


@dataclass(frozen=True)
class Layout:
    """The files and ports of one control plane."""

    folder: Path
    etcd_port: int
    peer_port: int
    api_port: int
    ca_file: Path
    serving: tuple[Path, Path]
    tokens: tuple[Path, Path]
    """Certificate and key whose key pair signs the tokens of service accounts."""

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.api_port}"

    @property
    def audit_log(self) -> Path:
        return self.folder / "audit.log"


def etcd(binary: Path, at: Layout) -> list[str]:
    """No fsync: the data lives no longer than the run, and still survives a restart of the API server."""
    client, peer = f"http://127.0.0.1:{at.etcd_port}", f"http://127.0.0.1:{at.peer_port}"
    return [
        str(binary),
        "--unsafe-no-fsync",
        f"--data-dir={at.folder}/etcd",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--log-level=error",
    ]


def api_server(binary: Path, at: Layout) -> list[str]:
    return [
        str(binary),
        f"--etcd-servers=http://127.0.0.1:{at.etcd_port}",
        f"--secure-port={at.api_port}",
        "--bind-address=127.0.0.1",
        f"--advertise-address={ADVERTISED}",
        f"--cert-dir={at.folder}/apiserver",
        f"--tls-cert-file={at.serving[0]}",
        f"--tls-private-key-file={at.serving[1]}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={at.tokens[0]}",
        f"--service-account-signing-key-file={at.tokens[1]}",
        f"--token-auth-file={at.folder}/tokens.csv",
        "--authorization-mode=Node,RBAC",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--enable-aggregator-routing=true",
        "--allow-privileged=true",
        "--profiling=false",
        f"--audit-policy-file={at.folder}/audit-policy.json",
        f"--audit-log-path={at.audit_log}",
    ]


def controller_manager(binary: Path, at: Layout, kubeconfig: Path, port: int) -> list[str]:
    """Each controller acts as its own service account, as in clusters made by kubeadm: admission sees those
    names.

    Nodes made by hand stay ready without a Lease.
    """
    return [
        str(binary),
        f"--kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={at.folder}/controller-manager",
        "--controllers=" + ",".join(["*", *(f"-{name}" for name in WITHOUT)]),
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={at.tokens[1]}",
        f"--root-ca-file={at.ca_file}",
        "--leader-elect=false",
        "--node-monitor-grace-period=24h",
        "--kube-api-qps=200",
        "--kube-api-burst=400",
    ]


def scheduler(binary: Path, at: Layout, kubeconfig: Path, port: int, config: Path | None) -> list[str]:
    """With a configuration file the kubeconfig and leader election are the file's."""
    command = [
        str(binary),
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={at.folder}/scheduler",
    ]
    if config is not None:
        return [*command, f"--config={config}"]
    return [*command, f"--kubeconfig={kubeconfig}", "--leader-elect=false"]
