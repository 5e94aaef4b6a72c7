"""Namespaces that adopt: plain pods that ask for a vendor's resource become pods of a class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.expect import (
    K80,
    P100,
    assert_denied,
    assert_mutated,
    assert_room,
    assert_untouched,
    key,
)
from tests.cluster.expect_quota import limit, used
from tests.cluster.workloads import workload
from tests.harness.api import Answer, Api
from tests.harness.audit import AuditLog, called_webhooks
from tests.harness.cluster import IMAGE, fresh_namespace, pod
from tests.harness.kubectl import Kubectl
from tests.harness.product import Product, fresh_class
from tests.harness.waiting import until

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

GPU = "nvidia.com/gpu"
ADOPT = "resourceclass.io/adopt"
VGPU = "nvidia.grid-p4-2q"
EXAMPLES = Path(__file__).parents[2] / "examples"
VOID = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}


@contextmanager
def adopting_as(api: Api, class_name: str, **labels: str) -> Iterator[str]:
    more = {f"resourceclass.io/{name}": value for name, value in labels.items()}
    with fresh_namespace(api, {ADOPT: class_name, **more}) as namespace:
        yield namespace


@pytest.fixture
def adopting(api: Api) -> Iterator[str]:
    """The name of a namespace that adopts as nvidia.tesla.k80."""
    with adopting_as(api, K80) as namespace:
        yield namespace


def plain(name: str, amount: Any = 1, **spec: Any) -> Json:
    return pod(name, {GPU: amount}, **spec)


def assert_adopted(stored: Json, units: int = 1, class_name: str = K80) -> None:
    assert_mutated(stored, {class_name: units})
    resources = stored["spec"]["containers"][0]["resources"]
    wanted = {GPU: str(units), key(class_name): str(units)}
    assert (resources["limits"], resources["requests"]) == (wanted, wanted)


def assert_refused(answer: Answer, *words: str) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    for each in words:
        assert each in answer.message


def test_a_plain_pod_becomes_one_of_the_class(api: Api, adopting: str) -> None:
    stored = api.create(plain("p", 2), adopting).must()

    assert_adopted(stored, 2)
    variables = [each["name"] for each in stored["spec"]["containers"][0]["env"]]
    assert variables == ["NVIDIA_VISIBLE_DEVICES", "RESOURCECLASS_DEVICES"]


def test_an_adopted_pod_is_judged_by_the_entry_for_class_pods_alone(
    api: Api, audit: AuditLog, adopting: str
) -> None:
    since = audit.mark()
    api.create(plain("p"), adopting).must()
    (event,) = audit.wait_for(since, verb="create", resource="pods", namespace=adopting)

    assert event["annotations"]["pods.resourceclass.io/decision"] == "allowed"
    assert event["annotations"]["pods.resourceclass.io/classes"] == f"{K80}=1"
    assert event["annotations"]["adopt.resourceclass.io/mutation"] == "changed"
    assert "adopt.resourceclass.io/decision" not in event["annotations"]


def test_the_deployment_of_a_lightweight_vgpu_runs_unchanged(
    kubectl: Kubectl, api: Api, audit: AuditLog
) -> None:
    since = audit.mark()
    with (
        fresh_class(api, VGPU, {"model": "GRID-P4-2Q"}, pod={"vendorResource": GPU}),
        adopting_as(api, VGPU) as namespace,
    ):
        example = str(EXAMPLES / "05-lightweight-vgpu.yaml")
        try:
            kubectl("apply", "-n", namespace, "-f", example).must()
            (made,) = until(lambda: api.items("Pod", namespace), "the pod of the deployment exists")
            again = kubectl("apply", "-n", namespace, "-f", example).must()
            events = audit.wait_for(since, verb="create", resource="deployments", namespace=namespace)
        finally:
            api.delete("Node", "vgn5i-1")
        template = api.get("Deployment", "cuda-sample", namespace).must()["spec"]["template"]

    assert_adopted(made, 1, VGPU)
    assert made["spec"]["nodeSelector"] == {"aliyun.accelerator/nvidia_mem": "2048MiB"}
    assert template["spec"]["containers"][0]["resources"]["limits"] == {GPU: "1"}
    assert "deployment.apps/cuda-sample unchanged" in again
    assert [called_webhooks(event) for event in events] == [set()]


def test_init_containers_and_sidecars_are_adopted(api: Api, adopting: str) -> None:
    init = {"name": "init", "image": IMAGE, "resources": {"limits": {GPU: "2"}}}
    sidecar = {**init, "name": "side", "restartPolicy": "Always"}
    made = pod("p", initContainers=[sidecar, init])

    stored = api.create(made, adopting).must()

    assert_mutated(stored, {K80: 4})
    limits = [each["resources"]["limits"] for each in stored["spec"]["initContainers"]]
    assert limits == [{GPU: "2", key(K80): "2"}] * 2
    assert stored["spec"]["containers"][0]["env"] == [VOID]


def test_an_adopted_pod_is_held_to_the_quota_of_the_class(api: Api, adopting: str) -> None:
    limit(api, adopting, 2)
    api.create(plain("first", 2), adopting).must()
    assert used(api, adopting) == 2

    refused = api.create(plain("second"), adopting)

    assert_denied(refused, 1, 2, 2)
    assert f"in this namespace whoever asks for {GPU} asks for class {K80}: label {ADOPT}" in refused.message
    assert_room(api, adopting, 0)


def test_with_warn_an_adopted_pod_is_adopted_all_the_same(api: Api) -> None:
    with (
        fresh_class(api, "closed.k80", namespaces={"matchLabels": {"team": "ml"}}),
        adopting_as(api, "closed.k80", enforce="warn") as namespace,
    ):
        answer = api.create(plain("p"), namespace)

    assert_adopted(answer.must(), 1, "closed.k80")
    assert any("class closed.k80 is open to namespaces with team=ml only" in each for each in answer.warnings)


def test_a_workload_whose_pods_the_quota_cannot_hold_is_warned_of_when_it_is_applied(
    api: Api, adopting: str
) -> None:
    limit(api, adopting, 2)
    made = workload("Deployment", "w", {GPU: "1"})
    made["spec"]["replicas"] = 3

    answer = api.create(made, adopting, dryRun="All")

    assert answer.must()["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] == {GPU: "1"}
    assert any(f"quota q allows 2 of class {K80}" in each for each in answer.warnings)


def test_a_pod_that_names_a_class_is_left_as_it_is(api: Api, adopting: str) -> None:
    stored = api.create(pod("p", {P100: 1, GPU: 1}), adopting).must()

    assert_mutated(stored, {P100: 1})
    assert stored["spec"]["containers"][0]["resources"]["limits"] == {GPU: "1", key(P100): "1"}


def test_a_limit_range_that_gives_zero_of_a_class_keeps_nobody_from_being_adopted(
    api: Api, adopting: str
) -> None:
    zero = {key(K80): "0"}
    item = {"type": "Container", "default": zero, "defaultRequest": zero}
    made = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [item]}}
    api.create(made, adopting).must()
    until(
        lambda: key(K80) in str(api.create(pod("probe"), adopting, dryRun="All").must()["spec"]),
        "the limit range takes effect",
    )

    assert_adopted(api.create(plain("p"), adopting).must())


@pytest.mark.parametrize("limits", [{GPU: "0"}, {"rdma/hca": "1"}, {"cpu": "1"}, None])
def test_a_pod_without_such_a_device_is_left_as_it_is(api: Api, adopting: str, limits: Json | None) -> None:
    assert_untouched(api.create(pod("p", limits), adopting).must())


def test_elsewhere_a_plain_pod_is_nobodys_business(api: Api, namespace: str) -> None:
    assert_untouched(api.create(plain("p"), namespace).must())


def test_an_isolated_namespace_may_adopt(api: Api) -> None:
    with adopting_as(api, K80, isolate="true") as namespace:
        made = plain("p")
        made["spec"]["containers"].append({"name": "log", "image": IMAGE})
        stored = api.create(made, namespace).must()
        greedy = plain("greedy")
        greedy["spec"]["containers"][0]["env"] = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
        refused = api.create(greedy, namespace)

    assert_adopted(stored)
    assert stored["spec"]["containers"][1]["env"] == [VOID]
    assert_refused(refused, "sets NVIDIA_VISIBLE_DEVICES, which chooses devices")


def test_the_opt_out_label_of_a_pod_opens_no_way(api: Api, adopting: str) -> None:
    made = plain("p")
    made["metadata"]["labels"] = {"resourceclass.io/webhook": "ignore"}

    refused = api.create(made, adopting)

    assert_refused(refused, "the pod is not as ResourceClass writes it", "remove the label")
    assert api.items("Pod", adopting) == []


def test_a_node_by_hand_is_refused_as_of_every_class_pod(api: Api, adopting: str) -> None:
    refused = api.create(plain("p", nodeName="node-a"), adopting)

    assert_refused(refused, "spec.nodeName is set to node-a by hand")


def test_another_scheduler_is_refused_with_the_reason_why_it_matters(api: Api, adopting: str) -> None:
    refused = api.create(plain("p", schedulerName="volcano"), adopting)

    assert_refused(refused, 'spec.schedulerName is "volcano"', f"asks for class {K80}: label {ADOPT}")


@pytest.mark.parametrize(
    ("class_name", "why"),
    [("nvidia.tesla.k08", "which does not exist (did you mean nvidia.tesla.k80?)"), ("", "does not exist")],
)
def test_a_label_that_names_no_class_refuses_plain_pods(api: Api, class_name: str, why: str) -> None:
    with adopting_as(api, class_name) as namespace:
        refused = api.create(plain("p"), namespace)
        api.create(pod("without"), namespace).must()

    assert_refused(refused, f'as class "{class_name}" (label {ADOPT}), ', why)


def test_a_class_of_shares_adopts_nobody(api: Api) -> None:
    with (
        fresh_class(api, "k80.2g", share={"memory": "2GiB"}),
        adopting_as(api, "k80.2g") as namespace,
    ):
        refused = api.create(plain("p"), namespace)

    assert_refused(refused, "its units are shares of a device")


def test_a_mirror_pod_is_stored_as_the_kubelet_sent_it(api: Api, adopting: str) -> None:
    mirror = plain("static-node-a", nodeName="node-a")
    mirror["metadata"]["annotations"] = {
        "kubernetes.io/config.mirror": "5f2c",
        "kubernetes.io/config.source": "file",
    }
    kubelet = api.impersonate("system:node:node-a", "system:nodes", "system:authenticated")

    stored = kubelet.create(mirror, adopting).must()

    assert stored["spec"]["containers"][0]["resources"]["limits"] == {GPU: "1"}
    assert "affinity" not in stored["spec"]


@pytest.mark.parametrize("flags", [[], ["--server-side"]])
def test_an_adopted_pod_can_be_applied_again(
    kubectl: Kubectl, api: Api, adopting: str, tmp_path: Path, flags: list[str]
) -> None:
    manifest = tmp_path / "pod.json"
    manifest.write_text(json.dumps(plain("p")))
    apply = ("apply", *flags, "-n", adopting, "-f", str(manifest))
    kubectl(*apply).must()
    first = api.get("Pod", "p", adopting).must()

    kubectl(*apply).must()

    again = api.get("Pod", "p", adopting).must()
    assert_adopted(again)
    assert (again["spec"], again["metadata"]["uid"]) == (first["spec"], first["metadata"]["uid"])


def test_a_dry_run_shows_what_a_pod_becomes_and_stores_nothing(api: Api, adopting: str) -> None:
    assert_adopted(api.create(plain("p"), adopting, dryRun="All").must())
    assert api.items("Pod", adopting) == []


def test_the_label_holds_for_the_next_pod(api: Api, namespace: str) -> None:
    """The API server learns of the label first; a replica that has not yet must not let a pod pass."""
    assert_untouched(api.create(plain("before"), namespace).must())

    api.patch("Namespace", namespace, {"metadata": {"labels": {ADOPT: K80}}}).must()

    until(
        lambda: key(K80) in str(api.create(plain("p"), namespace, dryRun="All").must()["spec"]),
        "the API server knows the label",
    )
    for number in range(20):
        assert_adopted(api.create(plain(f"after-{number}"), namespace).must())


def test_while_the_webhook_is_down_only_pods_with_such_a_device_wait(
    api: Api, product: Product, adopting: str
) -> None:
    with product.webhook_stopped():
        refused = api.create(plain("p"), adopting)
        api.create(pod("without"), adopting).must()

    assert refused.code == 500
    assert 'failed calling webhook "adopt.resourceclass.io"' in refused.message
