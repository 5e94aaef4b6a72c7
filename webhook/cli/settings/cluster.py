"""Where the state of the cluster comes from: settings that every part has."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Where the state of the cluster comes from."""

    kubeconfig: Annotated[str, "FILE"] = ""
    """Kubeconfig whose current context is used. Default "": a server takes the service account of its pod,
    `check` only what it is given, `explain`, `classes` and `doctor` what kubectl would take."""
    manifests: Annotated[str, "DIR"] = ""
    """Folder of manifests (.yaml, .yml, .json) that stands in for a cluster; what is written stays in memory.
    Default "": none."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        found = []
        if self.kubeconfig and self.manifests:
            found.append("kubeconfig and manifests are both given; leave one out")
        if self.kubeconfig and not Path(self.kubeconfig).is_file():
            found.append(absent("kubeconfig", self.kubeconfig, "file"))
        if self.manifests and not Path(self.manifests).is_dir():
            found.append(absent("manifests", self.manifests, "folder"))
        return found


def absent(name: str, path: str, wanted: str) -> str:
    """Return what is wrong with a path at which no `wanted` (file, folder) stands."""
    what = f"is not a {wanted}" if Path(path).exists() else f"there is no such {wanted}"
    return f"{name} {path}: {what}"
