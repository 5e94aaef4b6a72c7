"""Where the API server is: what a kubeconfig, a pod and the environment say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cluster.scripted import Clock
from tests.unit.cluster.small_server import Connect, Handler, reply, write_kubeconfig
from webhook.cluster.connection import RELOAD_SECONDS, Connection
from webhook.core.errors import BadInput


def test_a_missing_kubeconfig_is_named() -> None:
    with pytest.raises(BadInput, match="/nowhere/config: no such kubeconfig file"):
        Connection("/nowhere/config")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "kind: Config",
        "a: [",
        "current-context: x\ncontexts: []\nclusters: []",
        "current-context: x\ncontexts: 7\nclusters: []",
        "current-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x}]",
    ],
)
def test_a_broken_kubeconfig_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(BadInput, match=f"^{path}:"):
        Connection(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: [\n", ":2: not readable as YAML: "),
        ("hello\n", ":1: not a kubeconfig, which is a mapping with clusters, contexts and users$"),
        ("", ":1: not a kubeconfig"),
        ("a: 1", ": not a usable kubeconfig: Expected key current-context"),
    ],
)
def test_what_is_wrong_with_a_kubeconfig_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(BadInput, match=f"^{path}{said}"):
        Connection(str(path))


def test_a_kubeconfig_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match=f"^{path}: not UTF-8 text"):
        Connection(str(path))


def test_a_certificate_file_that_is_missing_is_named(tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path, "https://127.0.0.1:1", {"client-certificate": "nowhere.crt"})
    with pytest.raises(BadInput, match=r"not a usable kubeconfig: File does not exist: .*nowhere\.crt"):
        Connection(path)


def test_a_plugin_that_gives_a_token_is_asked_again_when_the_token_is_refused(
    connect: Connect, tmp_path: Path, clock: Clock
) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    credential = (
        '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'
    )
    script = f"printf '{credential}' $(cat {token})"
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "sh", "args": ["-c", script]}

    def only_new(handler: Handler) -> None:
        known = handler.headers["Authorization"] == "Bearer new"
        handler.send_json({"known": known}, 200 if known else 401)

    with connect(only_new, {"exec": plugin}) as (_, connection):
        token.write_text("new")
        clock.now += RELOAD_SECONDS
        assert connection.get("/version") == {"known": True}


def test_outside_of_a_pod_the_flags_that_help_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(BadInput, match="--kubeconfig FILE, or a folder of manifests with --manifests DIR"):
        Connection()


def test_a_proxy_of_the_environment_does_not_stand_before_loopback(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with connect(reply({"direct": True})) as (_, connection):
        assert connection.get("/version") == {"direct": True}
