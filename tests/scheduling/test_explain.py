"""`resourceclass explain` and `classes` against a real scheduler, webhook and controllers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.harness.api import Api
from tests.harness.cluster import quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.devices import device_nodes, k80, set_phase
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import K80, asking, device, key, place, refuse
from tests.scheduling.workloads import deployment
from webhook.cli.main import main

pytestmark = pytest.mark.usefixtures("scheduler")

Json = dict[str, Any]
Command = Callable[..., Json]


@pytest.fixture(scope="module")
def kubeconfig(control_plane: ControlPlane) -> Path:
    return control_plane.kubeconfig()


@pytest.fixture
def ask(kubeconfig: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command and returns its answer; its exit code must agree with it."""

    def run(*arguments: str, config: Path = kubeconfig) -> Json:
        code = main([*arguments, "--kubeconfig", str(config), "-o", "json"])
        answer: Json = json.loads(capsys.readouterr().out)
        if "fine" in answer:
            assert code == (0 if answer["fine"] else 1)
        return answer

    return run


def test_a_waiting_pod_is_explained_with_the_words_of_the_scheduler(
    api: Api, namespace: str, ask: Command
) -> None:
    with device_nodes(api, {"node-a": [k80(), k80("GPU-sick")]}):
        place(api, namespace, asking("first"))
        set_phase(api, "node-a-gpu-sick", "Unhealthy")
        refuse(api, namespace, asking("second"))

        found = ask("explain", "second", "-n", namespace)

    assert found["state"] == "InUse"
    assert "of 2 devices of nvidia.tesla.k80 1 in use, 1 unhealthy, none free" in found["message"]
    assert found["classes"][0]["heldBy"] == [{"namespace": namespace, "pod": "first"}]
    assert found["nearest"]["node"] == "node-a"
    said = {told["reason"]: told["message"] for told in found["said"]}
    assert "nvidia.tesla.k80 needs 1 device: 1 in use, 1 unhealthy" in said["FailedScheduling"]


def test_a_bound_pod_is_explained_by_the_device_that_it_has(api: Api, namespace: str, ask: Command) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        pod = place(api, namespace, asking("train"))
        found = ask("explain", "train", "-n", namespace)

    assert found["state"] == "Bound"
    (held,) = found["devices"]
    assert (held["node"], held["device"], held["container"]) == ("node-a", device(pod), "main")
    assert held["because"] == {"model": "NVIDIA Tesla K80"}
    assert "Scheduled" in {told["reason"] for told in found["said"]}


def test_a_deployment_without_pods_is_explained_by_the_refusal_of_the_webhook(
    api: Api, namespace: str, ask: Command
) -> None:
    none = quota("none", {f"requests.{key(K80)}": "0"})
    api.create(none, namespace).must()
    quota_synced(api, namespace, "none")
    api.create(deployment("train", asking("train"), replicas=2), namespace).must()

    def refused() -> Json | None:
        answer = ask("explain", "deployment/train", "-n", namespace)
        return answer if answer["state"] == "Refused" else None

    found = until(refused, "the ReplicaSet was refused")
    assert found is not None
    assert "has 0 of 2 pods, and the next one is refused" in found["message"]
    assert "exceeded quota: none" in found["message"]


def test_a_pod_that_was_refused_is_found_in_the_events_of_the_webhook(
    api: Api, namespace: str, ask: Command
) -> None:
    api.create(quota("none", {f"requests.{key(K80)}": "0"}), namespace).must()
    quota_synced(api, namespace, "none")
    assert api.create(asking("train"), namespace).code == 403

    def told() -> Json | None:
        answer = ask("explain", "train", "-n", namespace)
        return answer if answer["state"] == "Refused" else None

    found = until(told, "the webhook has told of it")
    assert found is not None
    assert "resourceclass-webhook said of resourcequota/none: refused pod train: " in found["message"]


def test_without_a_scheduler_the_lease_tells(
    api: Api, namespace: str, ask: Command, scheduler: SchedulerPod
) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        scheduler.stop()
        try:
            api.create(asking("train"), namespace).must()
            found = ask("explain", "train", "-n", namespace)
        finally:
            scheduler.start().wait_leading()

    assert found["state"] == "NoScheduler"
    assert "resourceclass-scheduler has no holder" in found["message"]


def test_who_may_see_a_namespace_alone_is_told_what_was_not_looked_at(
    api: Api, namespace: str, ask: Command, control_plane: ControlPlane
) -> None:
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "viewer"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace}],
    }
    api.create(binding, namespace).must()
    account = control_plane.kubeconfig(control_plane.service_account_token(namespace, "default"))

    with device_nodes(api, {"node-a": [k80()]}):
        place(api, namespace, asking("first"))
        refuse(api, namespace, asking("train"))
        found = ask("explain", "train", "-n", namespace, config=account)

    assert found["state"] == "Undecided"
    assert any("resourceclasses" in note and "403" in note for note in found["notes"])
    assert any(f"Insufficient {key(K80)}" in told["message"] for told in found["said"])


def test_the_table_of_classes_counts_as_the_binder_does(api: Api, namespace: str, ask: Command) -> None:
    with device_nodes(api, {"node-a": [k80(), k80("GPU-sick"), k80("GPU-free")]}):
        set_phase(api, "node-a-gpu-sick", "Unhealthy")
        place(api, namespace, asking("one"))
        refuse(api, namespace, asking("two", amount=2))

        found = ask("classes")

    (row,) = (entry for entry in found["classes"] if entry["name"] == K80)
    assert (row["devices"], row["free"], row["inUse"], row["unhealthy"]) == (3, 1, 1, 1)
    assert row["usedBy"] == [{"namespace": namespace, "class": K80, "units": 1}]
    assert row["waiting"] == [{"namespace": namespace, "pod": "two", "units": 2}]
