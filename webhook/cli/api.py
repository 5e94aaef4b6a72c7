"""What a server that reads and writes objects talks to: a real API server, or a folder in its place."""

from webhook.cli.settings.cluster import ClusterSettings
from webhook.cluster.api import Api


def check_source(source: ClusterSettings) -> None:
    """Fail with one clear message before a port opens, not in every worker again and again."""
    if source.manifests:
        from webhook.cluster.folder import FolderCluster

        FolderCluster(source.manifests)
    else:
        from webhook.cluster.configuration import load_access

        load_access(source.kubeconfig or None)


def api_of(source: ClusterSettings) -> Api:
    """Return the API server. Call it after a fork. Raises BadInput when it cannot be known."""
    if source.manifests:
        from webhook.cluster.embedded.api import EmbeddedApi
        from webhook.cluster.folder import FolderCluster

        return EmbeddedApi(FolderCluster(source.manifests))
    from webhook.cluster.connection import Connection

    return Connection(source.kubeconfig or None)
