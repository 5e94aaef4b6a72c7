"""Two pods on one device: it is told, and the policy decides. The records are forged in the binder's name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.controller.labelled import devices_of, k80s, labelled_node, wait_shown
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.controller import NAME, Controller
from tests.harness.product import Product
from tests.harness.scheduling import ACCOUNT as BINDER
from tests.harness.waiting import holds, until
from tests.scheduling.expect import DEVICES, RECORD, asking

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
DOUBLES = "resourceclass_double_allocations"


def bind_by_hand(api: Api, namespace: str, name: str, node: str) -> None:
    """Creates a pod and binds it to device 0 of a node, whoever holds that.

    Its node selector, which a Binding is not held to, keeps the scheduler from binding it first.
    """
    made = api.create(asking(name, K80, nodeSelector={"nobody": "has-this"}), namespace).must()
    entry = {"class": K80, "device": "0"}
    record = {"version": 1, "node": node, "containers": {"main": [entry]}}
    annotations = {RECORD: json.dumps(record), f"{DEVICES}main": "0"}
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": name, "uid": made["metadata"]["uid"], "annotations": annotations},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    binder = api.impersonate(f"system:serviceaccount:{chart.NAMESPACE}:{BINDER}", "system:masters")
    binder.request("POST", f"/api/v1/namespaces/{namespace}/pods/{name}/binding", binding).must()


def leaving(api: Api, namespace: str, name: str) -> bool:
    """Whether the pod is being deleted, or is gone."""
    answer = api.get("Pod", name, namespace)
    return not answer.ok or bool(answer.body["metadata"].get("deletionTimestamp"))


@pytest.fixture
def evicting(installed: Product, api: Api, controller: Controller) -> Iterator[Controller]:
    """A replica with the other policy, and the rights that the chart then gives."""
    values = {"webhook": {"caBundle": "any"}, "controller": {"doubleAllocations": "evict-newest"}}
    rendered = chart.render(installed.plane.binaries["helm"], {**chart.REQUIRED, **values})
    usual = [obj for obj in installed.objects if _is_role(obj)]
    controller.stop()
    chart.apply(api, [obj for obj in rendered if _is_role(obj)])
    try:
        with Controller(installed, "controller-evicting", ["--double-allocations=evict-newest"]) as replica:
            yield replica
    finally:
        chart.apply(api, usual)
        controller.start().wait_leading()


def _is_role(obj: Json) -> bool:
    return bool(obj["kind"] == "ClusterRole" and obj["metadata"]["name"] == NAME)


def test_two_pods_on_one_device_are_told_and_left_alone(
    api: Api, namespace: str, controller: Controller
) -> None:
    with labelled_node(api, "twice", k80s(1)):
        wait_shown(api, "twice", {K80: "1"})
        for name in ("one", "two"):
            bind_by_hand(api, namespace, name, "twice")
        until(lambda: controller.metric(DOUBLES) == 1, "the metric tells of it")
        (made,) = devices_of(api, "twice")

        def events() -> list[Json]:
            about = f"involvedObject.uid={made['metadata']['uid']},reason=DeviceHeldTwice"
            return api.items("v1/Event", "default", fieldSelector=about)

        (event,) = until(events, "an event tells of it")
        assert f"{namespace}/one" in event["message"]
        assert f"{namespace}/two" in event["message"]
        assert len(devices_of(api, "twice")[0]["status"]["consumers"]) == 2
        holds(lambda: not any(leaving(api, namespace, name) for name in ("one", "two")), "both stay", 2)
        api.delete("Pod", "two", namespace, gracePeriodSeconds=0).must()
        until(lambda: controller.metric(DOUBLES) == 0, "the metric tells that it is over")


def test_the_pod_that_was_bound_last_is_evicted_where_that_is_asked_for(
    api: Api, namespace: str, evicting: Controller
) -> None:
    with labelled_node(api, "evicted", k80s(1)):
        wait_shown(api, "evicted", {K80: "1"})
        bind_by_hand(api, namespace, "first", "evicted")
        bound = api.get("Pod", "first", namespace).must()["status"]["conditions"][0]["lastTransitionTime"]
        until(lambda: _now(api, namespace) > bound, "another second")  # times of Kubernetes are whole seconds
        bind_by_hand(api, namespace, "last", "evicted")
        until(lambda: leaving(api, namespace, "last"), "the last one is evicted")
        holds(lambda: not leaving(api, namespace, "first"), "the first one stays", 2)


def _now(api: Api, namespace: str) -> str:
    """The API server's time, as it writes it into a new object."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "now-"}}
    made = api.create(config, namespace, dryRun="All").must()
    return str(made["metadata"]["creationTimestamp"])
