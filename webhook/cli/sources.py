"""Which cluster a command looks at: the one that is named, else the one that kubectl would take."""

import os
from pathlib import Path
from typing import Final

from webhook.cli.settings.cluster import ClusterSettings
from webhook.cluster.configuration import context_namespace
from webhook.cluster.connection import Connection
from webhook.cluster.folder import FolderCluster
from webhook.cluster.identity import DEFAULT_NAMESPACE
from webhook.cluster.reads import FolderReads, LiveReads, Reads
from webhook.core.errors import BadInput

_DEFAULT: Final = Path(".kube", "config")
# Kubernetes sets it in every container.
_IN_POD: Final = "KUBERNETES_SERVICE_HOST"
_NO_CLUSTER: Final = (
    "no cluster is known: KUBECONFIG is not set, and there is no ~/.kube/config; "
    "name a cluster with --kubeconfig FILE, or a folder of manifests with --manifests DIR"
)


def reads_of(source: ClusterSettings) -> Reads:
    """Return what the command reads from. Raises BadInput when there is no such cluster or folder."""
    if source.manifests:
        return FolderReads(FolderCluster(source.manifests))
    kubeconfig = source.kubeconfig or kubeconfig_of_user()
    if kubeconfig is None and _IN_POD not in os.environ:
        raise BadInput(_NO_CLUSTER)
    return LiveReads(Connection(kubeconfig))


def namespace_of(source: ClusterSettings) -> str:
    """Return the namespace where none is given: that of the kubeconfig's context, else `default`."""
    kubeconfig = "" if source.manifests else source.kubeconfig or kubeconfig_of_user()
    return (context_namespace(kubeconfig) if kubeconfig else "") or DEFAULT_NAMESPACE


def kubeconfig_of_user() -> str | None:
    """Return the file that kubectl reads; None, which means the service account of the pod, without one."""
    named = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    if len(named) > 1:
        raise BadInput(
            "KUBECONFIG names several files; name one with --kubeconfig, "
            "or merge them with `kubectl config view --flatten`"
        )
    if named:
        return named[0]
    path = Path.home() / _DEFAULT
    return str(path) if path.is_file() else None
