"""The names, accounts and pods that the chart's tests speak of."""

from __future__ import annotations

from typing import Any

from tests.harness.chart import NAMESPACE

Json = dict[str, Any]

WEBHOOK = "resourceclass-webhook"  # its Deployment, role and account

K80 = "nvidia.tesla.k80"
STORED_K80 = f"resourceclass.io/{K80}"

BINDER = f"system:serviceaccount:{NAMESPACE}:resourceclass-binder"
AGENT = f"system:serviceaccount:{NAMESPACE}:resourceclass-agent"


def container(name: str = "main", **fields: Any) -> Json:
    return {"name": name, "image": "example.com/none:1", **fields}


def asking(key: str, amount: str = "1", name: str = "main", part: str = "limits") -> Json:
    """A container that asks for a resource."""
    return container(name, resources={part: {key: amount}})


def pod_of(
    *containers: Json, labels: Json | None = None, annotations: Json | None = None, **spec: Any
) -> Json:
    """A pod with a generated name; spec adds fields of the pod's spec."""
    metadata = {"generateName": "pod-", "labels": labels or {}, "annotations": annotations or {}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers), **spec},
    }


def class_pod(**more: Any) -> Json:
    """A pod that asks for a class, as mutation would store its resources."""
    return pod_of(asking(STORED_K80), **more)
