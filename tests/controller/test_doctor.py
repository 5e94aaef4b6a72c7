"""`resourceclass doctor` on a real control plane with the whole product: nothing found, then what was broken.

There is no kubelet, so the pods of the Deployments are called ready by hand.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.controller.labelled import CLASS, DEVICE, aliyun, devices_of, k80s, labelled_node, wait_shown
from tests.controller.test_double_allocations import bind_by_hand
from tests.harness import chart
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace, quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product, fresh_class
from tests.harness.scheduling import SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import asking, place
from webhook.cli.main import main

Json = dict[str, Any]
Doctor = Callable[..., tuple[int, Json]]

K80 = "nvidia.tesla.k80"
BINDING = "ValidatingAdmissionPolicyBinding"
MUTATING = "MutatingWebhookConfiguration"
SECONDS = 30.0

pytestmark = pytest.mark.usefixtures("controller")


@pytest.fixture
def doctor(control_plane: ControlPlane, capsys: pytest.CaptureFixture[str]) -> Doctor:
    def run(kubeconfig: Path | None = None) -> tuple[int, Json]:
        where = str(kubeconfig or control_plane.kubeconfig())
        code = main(["doctor", "--kubeconfig", where, "-o", "json"])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def healthy(api: Api, installed: Product, scheduler: SchedulerPod) -> Iterator[None]:
    """All Deployments are ready, the Secret is there, and no class is left of the tests before."""
    for obj in api.items(CLASS):
        api.delete(CLASS, obj["metadata"]["name"])
    files = installed.ca_file.parent
    data = {name: base64.b64encode((files / name).read_bytes()).decode() for name in ("tls.crt", "tls.key")}
    metadata = {"name": chart.REQUIRED["tls"]["secretName"], "namespace": chart.NAMESPACE}
    secret = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": metadata}
    api.apply({**secret, "data": data}, "tests", force="true").must()
    until(lambda: _called_ready(api), "the Deployments are ready", SECONDS)
    yield
    api.delete("Secret", metadata["name"], chart.NAMESPACE)


def _called_ready(api: Api) -> bool:
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    for pod in api.items("Pod", chart.NAMESPACE):
        name = pod["metadata"]["name"]
        api.patch("Pod", name, {"status": ready}, chart.NAMESPACE, subresource="status")
    found = api.items("apps/v1/Deployment", chart.NAMESPACE)
    return all(item.get("status", {}).get("readyReplicas") == item["spec"]["replicas"] for item in found)


@contextmanager
def broken(api: Api, installed: Product) -> Iterator[None]:
    """For a while the policy is not bound, one entry has no conditions, and a device has no node."""
    api.delete(BINDING, "records.resourceclass.io")
    entries = api.get(MUTATING, "resourceclass").must()["webhooks"]
    index = [entry["name"] for entry in entries].index("limitranges.resourceclass.io")
    patch = [{"op": "remove", "path": f"/webhooks/{index}/matchConditions"}]
    api.patch(MUTATING, "resourceclass", patch).must()
    spec = {"nodeName": "lost", "deviceID": "0", "properties": {"vendor": "NVIDIA", "model": "Tesla K80"}}
    lost = {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ExtendedResource",
        "metadata": {"name": "lost-0"},
    }
    api.create({**lost, "spec": spec}).must()
    try:
        yield
    finally:
        api.delete(DEVICE, "lost-0")
        chart.apply(api, [obj for obj in installed.objects if obj["kind"] in (BINDING, MUTATING)])


def rules(answer: Json) -> set[tuple[str, str]]:
    return {(item["rule"], item["place"]) for item in answer["findings"]}


@pytest.mark.usefixtures("healthy")
def test_where_all_is_well_it_finds_nothing_and_leaves_nothing_out(
    api: Api, namespace: str, doctor: Doctor
) -> None:
    with labelled_node(api, "well", k80s(2)):
        wait_shown(api, "well", {K80: "2"})
        api.create(quota("limits", {K80: "2"}), namespace).must()
        quota_synced(api, namespace, "limits")
        place(api, namespace, asking("p", K80))
        code, answer = doctor()
    assert answer["findings"] == []
    assert answer["notChecked"] == []
    assert code == 0


@pytest.mark.usefixtures("healthy")
def test_what_is_broken_is_named_with_its_place(
    api: Api, installed: Product, namespace: str, doctor: Doctor
) -> None:
    mixed = aliyun("Tesla-K80", "11441MiB", 2) | {"karpenter.k8s.aws/instance-gpu-name": "t4"}
    with (
        labelled_node(api, "good", k80s(1)),
        labelled_node(api, "mixed", mixed),
        fresh_class(api, "nvidia.no.such"),
        fresh_namespace(api, {"resourceclass.io/webhook": "ignore"}) as outside,
        broken(api, installed),
    ):
        wait_shown(api, "good", {K80: "1"})
        api.create(quota("odd", {f"limits.resourceclass.io/{K80}": "1"}), outside).must()
        bind_by_hand(api, namespace, "one", "good")
        bind_by_hand(api, namespace, "two", "good")
        until(lambda: devices_of(api, "good")[0]["status"].get("reason") == "DeviceHeldTwice", "it is told")
        code, answer = doctor()
    assert code == 1
    assert rules(answer) == {
        ("MixedNode", "node mixed"),
        ("EmptyClass", "ResourceClass nvidia.no.such"),
        ("QuotaKeyNotEnforced", f"ResourceQuota {outside}/odd"),
        ("DoubleAllocation", "device good/0"),
        ("RecordsUnprotected", f"{BINDING} records.resourceclass.io"),
        ("WebhookTooWide", f"{MUTATING} resourceclass, entry limitranges"),
        ("LostDevice", "node lost"),
    }
    assert answer["notChecked"] == []


def test_what_an_account_may_not_read_is_named_and_never_taken_for_well(
    control_plane: ControlPlane, namespace: str, doctor: Doctor
) -> None:
    token = control_plane.service_account_token(namespace, "default")
    code, answer = doctor(control_plane.kubeconfig(token))
    assert code == 1
    assert answer["findings"] == []
    assert answer["checks"] == 1  # the version, which everybody may read
    assert {text for item in answer["notChecked"] for text in item["lacks"]} >= {
        "Node (not allowed to read it)"
    }
