"""Builds the programs of the tests once per machine and version: `python -m tests.harness.binaries`.

They lie in `~/.cache/resourceclass/<name>-<version>-<os>-<arch>/<name>`. With KUBEBUILDER_ASSETS set, the
binaries that this folder has (kube-apiserver, etcd, kubectl) are taken from there. The versions are those of
the go.mod files in tests/controlplane; the load client, whose source is here, has a digest of it as well.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.harness.toolchain import ToolchainError, find_go, go_os_arch

CACHE = Path("~/.cache/resourceclass").expanduser()
MODULES = Path(__file__).parents[1] / "controlplane"
BUILD_SECONDS = 2400  # kube-apiserver with an empty build cache takes some minutes on two idle cores


@dataclass(frozen=True)
class Binary:
    """One program: its main package, the module that gives its version, the folder of the go.mod."""

    name: str
    package: str
    module: str
    folder: Path = MODULES

    @property
    def version(self) -> str:
        found = re.search(rf"^\s*{re.escape(self.module)} (v\S+)", (self.folder / "go.mod").read_text(), re.M)
        if found is None:
            raise BinariesError(
                f"{self.folder}/go.mod does not require {self.module}: add it with `go get -tool`"
            )
        return found[1]

    @property
    def ldflags(self) -> str:
        """Kubernetes learns its version at link time; without this, clients see v0.0.0."""
        if self.module != "k8s.io/kubernetes":
            return "-s -w"
        major, minor, _ = self.version.removeprefix("v").split(".")
        facts = {"gitVersion": self.version, "gitMajor": major, "gitMinor": minor}
        return "-s -w " + " ".join(f"-X k8s.io/component-base/version.{k}={v}" for k, v in facts.items())

    def path(self, cache: Path = CACHE) -> Path:
        version = f"{self.version}-{_digest(self.folder)}" if self.package == "." else self.version
        return cache / f"{self.name}-{version}-{'-'.join(go_os_arch())}" / self.name


def _kubernetes(name: str) -> Binary:
    return Binary(name, f"k8s.io/kubernetes/cmd/{name}", "k8s.io/kubernetes")


CONTROL_PLANE = (
    Binary("etcd", "go.etcd.io/etcd/server/v3", "go.etcd.io/etcd/server/v3"),
    _kubernetes("kube-apiserver"),
    _kubernetes("kube-controller-manager"),
    _kubernetes("kubectl"),
    Binary("helm", "helm.sh/helm/v4/cmd/helm", "helm.sh/helm/v4", MODULES / "helm"),
    _kubernetes("kube-scheduler"),
    Binary("loadclient", ".", "k8s.io/apiserver", MODULES.parent / "loadclient"),
)


class BinariesError(Exception):
    """The control plane cannot be had on this machine; the text says why and what would help."""


def ensure(say: Callable[[str], None] = lambda _: None, cache: Path = CACHE) -> dict[str, Path]:
    """Returns the path of every binary by its name; builds what is not there yet. Raises BinariesError."""
    return {binary.name: _ensure(binary, say, cache) for binary in CONTROL_PLANE}


def _ensure(binary: Binary, say: Callable[[str], None], cache: Path) -> Path:
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    if assets and (given := Path(assets) / binary.name).is_file():
        return given
    target = binary.path(cache)
    if target.is_file():
        return target
    with _lock(cache / f".{binary.name}.lock"):
        if not target.is_file():  # else a run beside this one has built it while we waited
            _build(binary, target, say, cache)
    return target


def _digest(folder: Path) -> str:
    """A name for a state of the sources in a folder."""
    sources = sorted([*folder.glob("*.go"), folder / "go.sum"])
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:12]


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _build(binary: Binary, target: Path, say: Callable[[str], None], cache: Path) -> None:
    try:
        with _lock(cache / ".go.lock"):
            go = find_go(cache)
    except (ToolchainError, OSError, subprocess.TimeoutExpired) as error:
        raise BinariesError(f"{binary.name} cannot be built: {error}") from error
    say(f"building {binary.name} {binary.version} with {go} (some minutes the first time)")
    began = time.monotonic()
    partial = target.parent.with_name(f"{target.parent.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    _run_go(go, binary, partial / binary.name)
    shutil.rmtree(target.parent, ignore_errors=True)
    partial.rename(target.parent)
    say(f"built {binary.name} in {time.monotonic() - began:.0f} s")


def _run_go(go: Path, binary: Binary, output: Path) -> None:
    """CGO off: no C compiler is needed. GOTOOLCHAIN local: the Go we chose, and none that it fetches."""
    settings = {
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=readonly -buildvcs=false",
        "GOWORK": "off",
    }
    command = [str(go), "build", "-trimpath", "-ldflags", binary.ldflags, "-o", str(output), binary.package]
    environment = {**os.environ, **settings, "GOROOT": ""}  # an exported GOROOT may belong to another Go
    try:
        done = subprocess.run(
            command,
            cwd=binary.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=BUILD_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise BinariesError(
            f"building {binary.name} took more than {BUILD_SECONDS} s: run it again"
        ) from error
    if done.returncode != 0:
        raise BinariesError(f"go could not build {binary.name}: {done.stderr.strip()[-2000:]}")


def main() -> int:
    """Builds what is missing and prints where each binary is."""
    try:
        paths = ensure(lambda text: print(text, flush=True))
    except BinariesError as error:
        print(error, file=sys.stderr)
        return 1
    for name, path in paths.items():
        print(f"{name:24} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
