"""The settings of `resourceclass webhook`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from webhook.cli.settings.cluster import ClusterSettings, absent
from webhook.core.settings import PodSettings
from webhook.serve.settings import ServeSettings


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """`resourceclass webhook`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    pods: PodSettings = field(default_factory=PodSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    required: ClassVar = ("tls-cert", "tls-key")

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, the parts' own problems included."""
        found = []
        files = {"tls_cert": self.serve.tls_cert, "tls_key": self.serve.tls_key}
        for name, path in files.items():
            # Where one of the two is given, `serve` tells of the other.
            if not any(files.values()):
                found.append(f"{name} is missing: the API server calls a webhook over TLS only")
            elif path and not Path(path).is_file():
                found.append(absent(name, path, "file"))
        return [*self.cluster.problems(), *found, *self.serve.problems()]
