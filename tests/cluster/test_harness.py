"""The control plane of the tests is a real one: it stores, counts, audits and survives a restart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import binaries
from tests.harness.api import Api
from tests.harness.audit import AuditLog, lacked_rights
from tests.harness.cluster import fresh_node, pod, quota, quota_synced
from tests.harness.controlplane import ControlPlane
from tests.harness.kubectl import Kubectl
from tests.harness.processes import Process, StartError, free_port, owns_port
from tests.harness.waiting import until


@pytest.fixture(scope="session")
def control_plane(bare_control_plane: ControlPlane) -> ControlPlane:
    """These tests stop and start things: the product's control plane is not theirs."""
    return bare_control_plane


def test_a_plain_pod_is_stored_as_it_was_sent(api: Api, namespace: str) -> None:
    api.create(pod("plain", {"cpu": "1"}), namespace).must()

    stored = api.get("Pod", "plain", namespace).must()

    assert stored["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1"}
    assert stored["spec"]["schedulerName"] == "default-scheduler"


def test_the_server_has_the_version_it_was_built_from(api: Api) -> None:
    version = api.request("GET", "/version").must()

    kubernetes = next(each for each in binaries.CONTROL_PLANE if each.name == "kube-apiserver")
    assert version["gitVersion"] == kubernetes.version


def test_the_controller_manager_computes_the_status_of_a_quota(api: Api, namespace: str) -> None:
    api.create(pod("plain"), namespace).must()
    api.create(quota("q", {"pods": "1"}), namespace).must()

    status = quota_synced(api, namespace, "q")["status"]

    assert status == {"hard": {"pods": "1"}, "used": {"pods": "1"}}


def test_a_pod_over_the_quota_is_refused_without_an_exception(api: Api, namespace: str) -> None:
    api.create(quota("q", {"pods": "0"}), namespace).must()
    quota_synced(api, namespace, "q")

    answer = api.create(pod("plain"), namespace)

    assert (answer.code, answer.reason) == (403, "Forbidden")
    assert "exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0" in answer.message


def test_the_audit_log_tells_a_lack_of_rights_from_other_refusals(
    api: Api, audit: AuditLog, namespace: str
) -> None:
    api.create(quota("none", {"requests.example.com/device": "0"}), namespace).must()
    quota_synced(api, namespace, "none")

    assert api.impersonate("stranger").create(pod("p"), namespace).code == 403
    assert api.create(pod("refused", {"example.com/device": 1}), namespace).code == 403

    refused = audit.wait_for(verb="create", resource="pods", namespace=namespace, code="403")
    assert [lacked_rights(event) for event in refused] == [True, False]


def test_the_audit_log_names_the_one_who_acted(api: Api, audit: AuditLog, namespace: str) -> None:
    jane = api.impersonate("jane", "system:masters")
    jane.create(pod("plain"), namespace).must()

    (event,) = audit.wait_for(user="jane", verb="create", resource="pods", namespace=namespace)

    assert event["user"]["username"] == "test-admin"
    assert event["impersonatedUser"]["groups"] == ["system:masters", "system:authenticated"]
    assert event["requestObject"]["metadata"]["name"] == "plain"


def test_pods_of_a_deployment_are_made_by_the_account_of_its_controller(
    api: Api, audit: AuditLog, namespace: str
) -> None:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    api.create(deployment, namespace).must()

    controller = "system:serviceaccount:kube-system:replicaset-controller"
    assert audit.wait_for(user=controller, verb="create", resource="pods", namespace=namespace)


def test_the_token_of_a_service_account_has_its_rights_and_no_others(
    control_plane: ControlPlane, namespace: str
) -> None:
    account = control_plane.api(control_plane.service_account_token(namespace, "default"))

    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    who = account.create(review).must()["status"]["userInfo"]

    assert who["username"] == f"system:serviceaccount:{namespace}:default"
    assert account.list("Pod", namespace).code == 403


def test_kubectl_applies_on_the_client_and_on_the_server(kubectl: Kubectl, api: Api, namespace: str) -> None:
    manifest = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "%s"}}'
    kubectl.apply_client_side(manifest % "one", namespace).must()
    kubectl.apply_server_side(manifest % "two", namespace, "--force-conflicts").must()

    stored = api.get("ConfigMap", "c", namespace).must()

    assert stored["data"] == {"k": "two"}
    operations = {entry["operation"] for entry in stored["metadata"]["managedFields"]}
    assert "Apply" in operations


def test_a_kubeconfig_can_act_as_another_user(control_plane: ControlPlane, namespace: str) -> None:
    mallory = control_plane.kubectl(user="mallory", groups=("system:authenticated",))

    refused = mallory("get", "pods", "-n", namespace)

    assert not refused.ok
    assert 'User "mallory" cannot list' in refused.err


def test_warnings_of_the_server_reach_the_caller(api: Api, namespace: str) -> None:
    ports = [{"containerPort": 80}, {"containerPort": 80}]
    doubled = pod("doubled", containers=[{"name": "main", "image": "example.com/none:1", "ports": ports}])

    answer = api.create(doubled, namespace, dryRun="All")

    assert answer.ok
    assert any("duplicate port" in warning for warning in answer.warnings)


def test_a_node_made_by_hand_is_ready_and_has_no_taint(api: Api) -> None:
    with fresh_node(api, "by-hand", {"example.com/thing": "3"}) as node:
        assert node["status"]["allocatable"]["example.com/thing"] == "3"
        assert "taints" not in node["spec"]


def test_the_stock_scheduler_binds_a_pod(control_plane: ControlPlane, api: Api, namespace: str) -> None:
    def node() -> str | None:
        name: str | None = api.get("Pod", "plain", namespace).must()["spec"].get("nodeName")
        return name

    with fresh_node(api, "target"), control_plane.start_scheduler():
        api.create(pod("plain"), namespace).must()
        assert until(node, "the pod is bound", 30) == "target"


def test_a_restart_of_the_server_keeps_the_data(
    control_plane: ControlPlane, api: Api, namespace: str
) -> None:
    api.create(pod("before"), namespace).must()
    before = control_plane.process("kube-apiserver").pid

    control_plane.stop_api_server()
    control_plane.start_api_server()

    assert control_plane.process("kube-apiserver").pid != before
    assert api.get("Pod", "before", namespace).ok


def test_the_server_owns_its_port_and_others_do_not(control_plane: ControlPlane) -> None:
    port = control_plane.layout.api_port

    assert owns_port(control_plane.process("kube-apiserver").pid, port)
    assert not owns_port(control_plane.process("etcd").pid, port)


def test_a_process_that_ends_at_once_is_reported_with_its_log(tmp_path: Path) -> None:
    process = Process(
        "demo", [sys.executable, "-c", "raise SystemExit('out of luck')"], tmp_path / "demo.log"
    )

    with pytest.raises(StartError, match=r"^demo ended with code 1; its log ends:\nout of luck$"):
        process.wait_listening(free_port())


def test_nothing_is_left_when_the_run_is_killed(control_plane: ControlPlane, tmp_path: Path) -> None:
    names = ("etcd", "kube-apiserver", "kube-controller-manager")
    script = (
        "import signal, sys\n"
        "from tests.harness import binaries\n"
        "from tests.harness.controlplane import ControlPlane\n"
        "plane = ControlPlane(binaries.ensure()).start()\n"
        f"print(plane.folder, *(plane.process(name).pid for name in {names}))\n"
        "sys.stdout.flush()\n"
        "signal.pause()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    ) as run:
        assert run.stdout is not None
        folder, *pids = run.stdout.readline().split()
        run.send_signal(signal.SIGKILL)

    until(lambda: not any(_is_running(pid) for pid in pids), f"processes {pids} end")
    assert len(pids) == 3
    with ControlPlane(control_plane.binaries):
        assert not Path(folder).exists(), "the next run sweeps the folder of a killed one"


def _is_running(pid: str) -> bool:
    """A zombie, which nobody may be there to collect, is not running."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
