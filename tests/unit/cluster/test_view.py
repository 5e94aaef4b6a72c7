"""Objects of any shape in a folder: they are passed over, never stumbled on."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.cluster.folder import FolderCluster

CLASS = {"apiVersion": "resourceclass.io/v1alpha1", "kind": "ResourceClass", "metadata": {"name": "a"}}


def cluster_of(kind: str, **fields: Any) -> FolderCluster:
    cluster = FolderCluster()
    cluster.create({**CLASS, "spec": {"selector": {"matchLabels": {"model": "x"}}}})
    cluster.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": "x", "namespace": "n"}, **fields})
    return cluster


@pytest.mark.parametrize(
    "spec", [None, 7, {}, {"containers": None}, {"containers": [None, {"resources": 7}]}]
)
def test_a_shapeless_pod_uses_nothing(spec: Any) -> None:
    assert cluster_of("Pod", spec=spec).usage("a") == []


@pytest.mark.parametrize("spec", [None, 7, {}, {"hard": None}, {"hard": 1}, {"hard": {"a": None}}])
def test_a_shapeless_quota_is_still_a_quota(spec: Any) -> None:
    assert len(cluster_of("ResourceQuota", spec=spec).quotas("n")) == 1


@pytest.mark.parametrize("status", [7, {"used": 7}, {"hard": None, "used": {"a": "x"}}])
def test_a_shapeless_status_gives_no_use(status: Any) -> None:
    (quota,) = cluster_of("ResourceQuota", spec={"hard": {"a": 1}}, status=status).quotas("n")
    assert quota["status"]["used"] == {"requests.resourceclass.io/a": "0"}


def test_labels_of_a_namespace() -> None:
    cluster = FolderCluster()
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": {"a": "b"}}})
    assert (cluster.namespace_labels("n"), cluster.namespace_labels("other")) == ({"a": "b"}, {})


@pytest.mark.parametrize("labels", [None, 7, []])
def test_shapeless_labels_are_none(labels: Any) -> None:
    cluster = FolderCluster()
    cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": labels}})
    assert cluster.namespace_labels("n") == {}
