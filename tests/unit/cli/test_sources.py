"""Which cluster a command looks at when none is named: that of kubectl."""

from __future__ import annotations

import json
import os

import pytest

from webhook.cli.settings.cluster import ClusterSettings
from webhook.cli.sources import kubeconfig_of_user, namespace_of, reads_of
from webhook.cluster.reads import FolderReads
from webhook.core.errors import BadInput


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return tmp_path


def test_the_file_of_the_environment_comes_first(home, monkeypatch):
    (home / ".kube").mkdir()
    (home / ".kube" / "config").touch()
    monkeypatch.setenv("KUBECONFIG", "/etc/other")
    assert kubeconfig_of_user() == "/etc/other"


def test_else_the_file_in_the_home_folder_is_taken(home):
    (home / ".kube").mkdir()
    (home / ".kube" / "config").touch()
    assert kubeconfig_of_user() == f"{home}/.kube/config"


def test_without_a_file_a_person_hears_where_it_was_looked_for(home):
    with pytest.raises(BadInput, match=r"no cluster is known: KUBECONFIG .* with --kubeconfig FILE"):
        reads_of(ClusterSettings())


def test_without_a_file_the_service_account_of_the_pod_is_left(home, monkeypatch):
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.delenv("KUBERNETES_SERVICE_PORT", raising=False)
    assert kubeconfig_of_user() is None
    with pytest.raises(BadInput, match=r"not running in a pod .* name a cluster with --kubeconfig"):
        reads_of(ClusterSettings())


def test_several_files_are_refused_with_how_to_merge_them(home, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", f"/a{os.pathsep}/b")
    with pytest.raises(BadInput, match="names several files; name one with --kubeconfig, or merge them"):
        kubeconfig_of_user()


def test_a_folder_needs_no_cluster(home):
    assert isinstance(reads_of(ClusterSettings(manifests=str(home))), FolderReads)


def write_kubeconfig(path, **context):
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", **context}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(content))
    return str(path)


def test_the_namespace_is_that_of_the_context(home):
    named = write_kubeconfig(home / "named", namespace="team-a")
    assert namespace_of(ClusterSettings(kubeconfig=named)) == "team-a"
    assert namespace_of(ClusterSettings(kubeconfig=write_kubeconfig(home / "bare"))) == "default"


def test_a_folder_has_no_context(home, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", write_kubeconfig(home / "named", namespace="team-a"))
    assert namespace_of(ClusterSettings(manifests=str(home))) == "default"
    assert namespace_of(ClusterSettings()) == "team-a"
