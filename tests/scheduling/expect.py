"""What the tests of this room mean by bound and waiting, and how they read which devices a pod has.

The product's names are spelled out here and not imported: they are an interface.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tests.harness.api import STRATEGIC_PATCH, Api
from tests.harness.cluster import IMAGE
from tests.harness.product import resource_class
from tests.harness.waiting import until

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
P100 = "nvidia.tesla.p100"
HIGH_MEM = "nvidia.high.mem"
MORE_THAN_10_GIB = {"key": "memory", "operator": "Gt", "values": ["10GiB"]}

CLASSES = (
    resource_class(K80, {"model": "NVIDIA Tesla K80"}),
    resource_class(P100, {"model": "NVIDIA Tesla P100"}),
    resource_class(HIGH_MEM, selector=[{"matchExpressions": [MORE_THAN_10_GIB]}]),
)

BIND_SECONDS = 30.0
DEVICES = "devices.resourceclass.io/"
RECORD = "resourceclass.io/allocation"


def key(class_name: str) -> str:
    return f"resourceclass.io/{class_name}"


def container(name: str, units: Mapping[str, int] | None = None) -> Json:
    """A container that asks for units of classes."""
    limits = {key(class_name): str(amount) for class_name, amount in (units or {}).items()}
    return {"name": name, "image": IMAGE, "resources": {"limits": limits}}


def pod_of(name: str, *containers: Json, labels: Mapping[str, str] | None = None, **spec: Any) -> Json:
    metadata = {"name": name, "labels": dict(labels or {})}
    body = {"containers": list(containers), "terminationGracePeriodSeconds": 1, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body}


def asking(name: str, class_name: str = K80, amount: int = 1, **more: Any) -> Json:
    """A pod of one container `main` that asks for one class."""
    return pod_of(name, container("main", {class_name: amount}), **more)


def bound(api: Api, namespace: str, name: str, seconds: float = BIND_SECONDS) -> Json:
    """Waits until the pod has a node, and returns it. It then has its devices too, from the same write."""

    def has_node() -> Json | None:
        pod = api.get("Pod", name, namespace).must()
        return pod if pod["spec"].get("nodeName") else None

    try:
        found = until(has_node, f"pod {name} is bound", seconds)
    except TimeoutError as error:
        said = _condition(api.get("Pod", name, namespace).must()).get("message")
        raise AssertionError(f"{error}; the scheduler says: {said}") from error
    assert found is not None
    return found


def place(api: Api, namespace: str, pod: Json) -> Json:
    """Creates the pod and returns it bound."""
    api.create(pod, namespace).must()
    return bound(api, namespace, pod["metadata"]["name"])


def waiting(api: Api, namespace: str, name: str, seconds: float = BIND_SECONDS) -> str:
    """Waits until the scheduler has found no place for the pod, and returns what it says."""

    def refused() -> str:
        pod = api.get("Pod", name, namespace).must()
        assert not pod["spec"].get("nodeName"), (
            f"{name} is bound to {pod['spec']['nodeName']}: {devices(pod)}"
        )
        said = _condition(pod)
        return str(said.get("message", "")) if said.get("reason") == "Unschedulable" else ""

    return until(refused, f"the scheduler finds no place for {name}", seconds)


def refuse(api: Api, namespace: str, pod: Json) -> str:
    """Creates the pod and returns why the scheduler finds no place for it."""
    api.create(pod, namespace).must()
    return waiting(api, namespace, pod["metadata"]["name"])


def devices(pod: Json) -> dict[str, list[str]]:
    """The devices of each container, as the kubelet reads them."""
    annotations = pod["metadata"].get("annotations", {})
    return {k.removeprefix(DEVICES): v.split(",") for k, v in annotations.items() if k.startswith(DEVICES)}


def device(pod: Json, container_name: str = "main") -> str:
    """The one device of a container."""
    (found,) = devices(pod)[container_name]
    return found


def record(pod: Json) -> Json:
    found: Json = json.loads(pod["metadata"]["annotations"][RECORD])
    return found


def holders(pods: Iterable[Json]) -> dict[str, list[Json]]:
    """By device, what each unfinished pod holds of it: an entry of its record, with the name of the pod."""
    found: dict[str, list[Json]] = defaultdict(list)
    for pod in pods:
        if not pod["spec"].get("nodeName") or pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            continue
        for entries in record(pod)["containers"].values():
            for entry in entries:
                found[entry["device"]].append({**entry, "pod": pod["metadata"]["name"]})
    return found


def assert_none_held_twice(pods: Iterable[Json]) -> None:
    """Whole devices only: each has one holder."""
    twice = {name: held for name, held in holders(pods).items() if len(held) > 1}
    assert not twice, twice


def nodes_of(pods: Iterable[Json]) -> Counter[str]:
    """How many of the pods each node has."""
    return Counter(pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName"))


def end(api: Api, namespace: str, name: str) -> None:
    """The pod is gone, as its kubelet would see to."""
    api.delete("Pod", name, namespace, gracePeriodSeconds=0).must()


def finish(api: Api, namespace: str, name: str) -> None:
    """The pod has succeeded, as its kubelet would report."""
    status = {"status": {"phase": "Succeeded"}}
    api.patch("Pod", name, status, namespace, subresource="status", content_type=STRATEGIC_PATCH).must()


def reap(api: Api, namespace: str) -> None:
    """Ends the pods that are being deleted: there is no kubelet that would."""
    for pod in api.items("Pod", namespace):
        if pod["metadata"].get("deletionTimestamp"):
            api.delete("Pod", pod["metadata"]["name"], namespace, gracePeriodSeconds=0)


def clear(api: Api, namespace: str) -> None:
    """Ends the namespace, in which no controller can then make pods, and every pod in it."""

    def cleared() -> bool:
        pods = api.items("Pod", namespace)
        for pod in pods:
            name = pod["metadata"]["name"]
            if pod["metadata"].get("finalizers"):
                api.patch("Pod", name, {"metadata": {"finalizers": None}}, namespace)
            api.delete("Pod", name, namespace, gracePeriodSeconds=0)
        return not pods

    api.delete("Namespace", namespace)
    until(cleared, f"the pods of {namespace} are gone")


def _condition(pod: Json) -> Json:
    conditions: list[Json] = pod.get("status", {}).get("conditions") or []
    return next((each for each in conditions if each["type"] == "PodScheduled"), {})
