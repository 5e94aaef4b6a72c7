"""What users say about nodes holds as for any pod: selectors, affinity, gates, taints, DaemonSets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.harness.api import Api
from tests.harness.devices import device_nodes, k80, p100
from tests.harness.product import fresh_class
from tests.harness.waiting import holds, until
from tests.scheduling.expect import K80, asking, bound, devices, nodes_of, place, refuse, waiting
from tests.scheduling.workloads import daemon_set

pytestmark = pytest.mark.usefixtures("scheduler")

Json = dict[str, Any]

UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}


def required(**term: list[Json]) -> Json:
    terms = {"nodeSelectorTerms": [term]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def pinned(name: str, node: str) -> Json:
    """As the DaemonSet controller makes it."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    return asking(name, affinity=required(matchFields=[field]), tolerations=[UNSCHEDULABLE])


# kubernetes/kubernetes#89476: a mutated node affinity detached DaemonSet pods from their node.
def test_a_pod_pinned_to_a_node_of_the_class_goes_there(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()], "node-b": [p100()], "node-c": [k80()]}):
        pod = place(api, namespace, pinned("warmer-a", "node-a"))

    affinity = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = affinity["nodeSelectorTerms"]
    assert term["matchFields"] == [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]
    assert [each["key"] for each in term["matchExpressions"]] == [f"class.resourceclass.io/{K80}"]
    assert UNSCHEDULABLE in pod["spec"]["tolerations"]
    assert pod["spec"]["nodeName"] == "node-a"


def test_a_pod_pinned_to_another_node_waits_and_is_never_moved(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()], "node-b": [p100()]}):
        refuse(api, namespace, pinned("warmer-b", "node-b"))

        def waits() -> bool:
            return "nodeName" not in api.get("Pod", "warmer-b", namespace).must()["spec"]

        holds(waits, "warmer-b has no node", 3)


def test_a_daemon_set_with_a_selector_has_one_pod_per_node_of_the_class(api: Api, namespace: str) -> None:
    labels = {name: {"accelerator": "k80"} for name in ("node-a", "node-c")}
    warmer = asking("warmer", nodeSelector={"accelerator": "k80"})

    with device_nodes(api, {"node-a": [k80()], "node-b": [p100()], "node-c": [k80()]}, labels):
        api.create(daemon_set("warmer", warmer), namespace).must()
        until(lambda: nodes_of(api.items("Pod", namespace)) == {"node-a": 1, "node-c": 1}, "both run")
        assert len(api.items("Pod", namespace)) == 2


def test_a_daemon_set_without_a_selector_leaves_a_pod_waiting_elsewhere(api: Api, namespace: str) -> None:
    with device_nodes(api, {"node-a": [k80()], "node-b": [p100()]}):
        api.create(daemon_set("warmer", asking("warmer")), namespace).must()
        until(lambda: nodes_of(api.items("Pod", namespace)) == {"node-a": 1}, "one runs")
        until(lambda: len(api.items("Pod", namespace)) == 2, "there is one for the other node, too")
        (other,) = [pod for pod in api.items("Pod", namespace) if not pod["spec"].get("nodeName")]
        assert waiting(api, namespace, other["metadata"]["name"])


def test_a_node_selector_of_the_user_is_honoured(api: Api, namespace: str) -> None:
    zones = {"node-a": {"zone": "a"}, "node-b": {"zone": "b"}}

    with device_nodes(api, {"node-a": [k80()] * 2, "node-b": [k80()] * 2}, zones):
        nodes = [
            place(api, namespace, asking(f"p{zone}", nodeSelector={"zone": zone}))["spec"]["nodeName"]
            for zone in ("b", "a")
        ]
        assert refuse(api, namespace, asking("c", nodeSelector={"zone": "c"}))

    assert nodes == ["node-b", "node-a"]


def test_any_of_several_terms_of_the_user_will_do(api: Api, namespace: str) -> None:
    zones = {name: {"zone": name[-1]} for name in ("node-a", "node-b", "node-c")}
    terms = [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]} for zone in ("b", "c")
    ]
    affinity = required()
    affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] = terms

    with device_nodes(api, {"node-a": [k80()], "node-b": [p100()], "node-c": [k80()]}, zones):
        pod = place(api, namespace, asking("one", affinity=affinity))

    assert pod["spec"]["nodeName"] == "node-c"


def test_a_gated_pod_holds_no_device_until_its_gate_opens(api: Api, namespace: str) -> None:
    gated = asking("gated", schedulingGates=[{"name": "example.com/wait"}])

    with device_nodes(api, {"node-a": [k80()]}):
        api.create(gated, namespace).must()
        other = place(api, namespace, asking("other"))
        assert "nodeName" not in api.get("Pod", "gated", namespace).must()["spec"]

        api.patch("Pod", "gated", {"spec": {"schedulingGates": None}}, namespace).must()
        waiting(api, namespace, "gated")
        api.delete("Pod", "other", namespace, gracePeriodSeconds=0).must()
        assert devices(bound(api, namespace, "gated")) == devices(other)


def test_a_class_brings_the_tolerations_for_its_tainted_nodes(api: Api, namespace: str) -> None:
    toleration = {"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    taint = {"key": "example.com/gpu", "effect": "NoSchedule"}

    with (
        fresh_class(api, "tainted", {"model": "NVIDIA Tesla P100"}, pod={"tolerations": [toleration]}),
        device_nodes(api, {"node-a": [p100()]}),
    ):
        api.patch("Node", "node-a", {"spec": {"taints": [taint]}}).must()
        assert place(api, namespace, asking("one", "tainted"))["spec"]["nodeName"] == "node-a"
