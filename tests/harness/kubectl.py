"""The real kubectl, as a user runs it, and kubeconfig files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 60.0


def write_kubeconfig(
    path: Path, server: str, ca_file: Path, token: str, *, user: str | None = None, groups: Sequence[str] = ()
) -> Path:
    """Writes a kubeconfig (JSON is YAML) for a token, on request acting as another user."""
    account: dict[str, Any] = {"token": token}
    if user is not None:
        account |= {"as": user, "as-groups": list(groups)}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": server, "certificate-authority": str(ca_file)}}],
        "users": [{"name": "user", "user": account}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user"}}],
        "current-context": "test",
    }
    path.touch(mode=0o600)
    path.write_text(json.dumps(content, indent=1))
    return path


@dataclass(frozen=True)
class Ran:
    """How a kubectl command ended."""

    code: int
    out: str
    err: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    def must(self) -> str:
        """Returns what it printed; fails the test when the command failed."""
        assert self.ok, self.err
        return self.out


@dataclass(frozen=True)
class Kubectl:
    """kubectl with one kubeconfig; its caches stay in the folder of the run."""

    binary: Path
    kubeconfig: Path

    def __call__(self, *arguments: str, stdin: str | None = None) -> Ran:
        home = self.kubeconfig.parent
        base = [str(self.binary), f"--kubeconfig={self.kubeconfig}", f"--cache-dir={home}/kubectl-cache"]
        done = subprocess.run(
            [*base, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
            env={"HOME": str(home)},
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def apply_client_side(self, manifest: str, namespace: str = "default", *more: str) -> Ran:
        return self("apply", "-n", namespace, "-f", "-", *more, stdin=manifest)

    def apply_server_side(self, manifest: str, namespace: str = "default", *more: str) -> Ran:
        return self("apply", "--server-side", "-n", namespace, "-f", "-", *more, stdin=manifest)
