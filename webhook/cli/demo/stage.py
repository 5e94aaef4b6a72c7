"""Where the demo plays: a played API server before a real webhook, a folder in place of a cluster."""

import time
from pathlib import Path
from typing import Final

from webhook.admission.overlay import Overlay
from webhook.admission.played.server import PlayedApiServer
from webhook.admission.played.verdict import Verdict
from webhook.cli.check_text import as_yaml
from webhook.cli.demo.process import WebhookProcess
from webhook.cli.demo.scenes import Scene
from webhook.cluster.embedded.api import EmbeddedApi
from webhook.cluster.folder import LOOK_SECONDS, FolderCluster
from webhook.cluster.identity import identify
from webhook.core.values.names import Json

# A folder is looked at so often; the webhook has seen a new manifest a moment later.
SEEN_SECONDS: Final = LOOK_SECONDS + 0.2


class Stage:
    """The webhook is a process of its own, which sees files; all else is in this one."""

    def __init__(
        self, webhook: WebhookProcess, manifests: Path, cluster: FolderCluster, api: EmbeddedApi
    ) -> None:
        self.webhook = webhook
        self.cluster = cluster
        self.api = api
        self._manifests = manifests
        self._server = PlayedApiServer(webhook, Overlay(cluster), with_controller=False)

    def send(self, document: Json) -> Verdict:
        """Send an object as a person would, and return what became of it; it is not stored yet."""
        return self._server.create(document)

    def problems(self, scene: Scene, verdict: Verdict, calls: int) -> list[str]:
        """Return what is not as it must be. `calls` is how often the webhook had been asked before."""
        problems = list(scene.check(verdict))
        if scene.reviews != (self.webhook.calls > calls):
            problems.append(f"the webhook should {'' if scene.reviews else 'not '}have been asked")
        return problems

    def store_in_file(self, document: Json) -> None:
        """Put a new object where the webhook sees it, as a watch would show it; the examples are there."""
        if self.cluster.get(document) is None:
            write_manifest(self._manifests, document)
            time.sleep(SEEN_SECONDS)

    def store(self, pod: Json) -> Json:
        """Store a pod in memory, perhaps over one of a file; return it as an API server shows it."""
        namespace = identify(pod).namespace
        collection = f"/api/v1/namespaces/{namespace}/pods"
        if self.cluster.get(pod) is None:
            return self.api.send("POST", collection, pod)
        return self.api.send("PUT", f"{collection}/{identify(pod).name}", pod)


def write_manifest(manifests: Path, document: Json) -> None:
    """Write an object into the folder."""
    key = identify(document)
    (manifests / f"stored-{key.kind}-{key.name}.yaml".lower()).write_text(as_yaml(document), "utf-8")
