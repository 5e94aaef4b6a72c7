"""Manifests that the tests of the folder cluster share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from webhook.cluster.folder import FolderCluster

Folder = Callable[..., FolderCluster]
"""Writes files by name and returns the cluster of them."""

K80 = "requests.resourceclass.io/nvidia.tesla.k80"
CLASS = """
apiVersion: resourceclass.io/v1alpha1
kind: ResourceClass
metadata: {name: nvidia.tesla.k80}
spec: {selector: {matchLabels: {model: Tesla K80}}}
"""
QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: team-a}
spec: {hard: {nvidia.tesla.k80: 5}}
"""


def pod(name: str = "train", units: int = 1, namespace: str = "team-a", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.tesla.k80": units}}}]},
        **more,
    }
