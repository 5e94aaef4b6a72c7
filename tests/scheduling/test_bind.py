"""The verb bind as kube-scheduler calls it: again, too late, for another pod, and when the write fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness import chart
from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from tests.harness.devices import device_nodes, k80, p100, remove_node
from tests.harness.scheduling import Binder, SchedulerPod, Scheduling
from tests.harness.waiting import until
from tests.scheduling.expect import K80, P100, asking, device, devices, end
from tests.scheduling.verbs import bind, create, decides, fits, seen, stored

Json = dict[str, Any]

FREED_SECONDS = 5.0


@pytest.fixture(scope="module")
def no_scheduler(running: SchedulerPod) -> Iterator[None]:
    """The scheduler is stopped, so that nobody else binds."""
    running.stop()
    yield
    running.start().wait_leading()


@pytest.fixture(scope="module")
def binder(scheduling: Scheduling, no_scheduler: None) -> Iterator[Binder]:
    """A binder without a scheduler and without leader election."""
    alone = Binder(scheduling, "alone", elected=False).start().wait_ready()
    decides(alone)
    yield alone
    alone.stop()


# kubernetes/kubernetes#96579: the scheduler asked again after a lost answer, and a second card was taken.
def test_a_repeated_bind_is_a_success_and_takes_nothing_more(
    api: Api, namespace: str, binder: Binder
) -> None:
    with device_nodes(api, {"node-a": [k80(), k80()], "node-b": [k80()]}):
        pod, other = (create(api, namespace, asking(name)) for name in ("p", "other"))
        seen(binder, other, "node-a")
        assert bind(binder, pod, "node-a") == ""
        first = devices(stored(api, pod))

        assert bind(binder, pod, "node-a") == ""
        elsewhere = bind(binder, pod, "node-b")

        assert "node-a" in elsewhere
        assert devices(stored(api, pod)) == first
        assert fits(binder, other, "node-a"), "one card of node-a is left"
        assert fits(binder, other, "node-b"), "and the card of node-b"


def test_two_pods_for_one_device_are_not_both_bound(api: Api, namespace: str, binder: Binder) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        first, second = (create(api, namespace, asking(name)) for name in ("first", "second"))
        seen(binder, second, "node-a")

        assert bind(binder, first, "node-a") == ""
        assert f"{K80} needs 1 device" in bind(binder, second, "node-a")
        assert "nodeName" not in stored(api, second)["spec"]


# gpushare-scheduler-extender#99: devices were written first, and stayed reserved when the binding failed.
def test_a_pod_that_is_gone_leaves_its_device_free(api: Api, namespace: str, binder: Binder) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        gone, next_one = (create(api, namespace, asking(name)) for name in ("gone", "next"))
        seen(binder, gone, "node-a")
        end(api, namespace, "gone")

        assert bind(binder, gone, "node-a") != ""
        until(lambda: fits(binder, next_one, "node-a"), "the card is free", FREED_SECONDS)
        assert bind(binder, next_one, "node-a") == ""


def test_a_node_that_is_gone_gets_no_pod(api: Api, namespace: str, binder: Binder) -> None:
    with device_nodes(api, {"node-a": [k80()], "node-b": [k80()]}):
        pod = create(api, namespace, asking("p"))
        seen(binder, pod, "node-a")
        remove_node(api, "node-a")
        until(lambda: not fits(binder, pod, "node-a"), "the node is out of the books")

        assert bind(binder, pod, "node-a") != ""
        assert devices(stored(api, pod)) == {}
        assert bind(binder, pod, "node-b") == ""


# kubewharf/katalyst-core PR#924: the pod of a StatefulSet got the devices of its predecessor.
def test_a_late_call_for_an_older_pod_of_the_name_touches_nothing(
    api: Api, namespace: str, binder: Binder
) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-k"), p100("GPU-p")]}):
        older = create(api, namespace, asking("web-0", K80))
        seen(binder, older, "node-a")
        end(api, namespace, "web-0")
        newer = create(api, namespace, asking("web-0", P100))

        assert bind(binder, older, "node-a") != ""
        now = stored(api, newer)
        assert ("nodeName" in now["spec"], devices(now)) == (False, {})

        assert bind(binder, newer, "node-a") == ""
        assert device(stored(api, newer)) == "GPU-p"
        again = create(api, namespace, asking("k", K80))
        until(lambda: fits(binder, again, "node-a"), "the K80 is free", FREED_SECONDS)


def test_without_the_right_to_bind_the_log_names_it(
    api: Api, namespace: str, binder: Binder, scheduling: Scheduling
) -> None:
    role = next(obj for obj in scheduling.objects if obj["kind"] == "ClusterRole")
    kept = [rule for rule in role["rules"] if "pods/binding" not in rule["resources"]]
    kubeconfig = _account(api, scheduling, "no-binding", kept)
    lame = Binder(scheduling, "lame", kubeconfig=kubeconfig, elected=False).start().wait_ready()
    decides(lame)
    try:
        with device_nodes(api, {"node-a": [k80()]}):
            pod = create(api, namespace, asking("p"))
            seen(lame, pod, "node-a")

            assert "pods/binding" in bind(lame, pod, "node-a")
            assert "pods/binding" in lame.process.log.read_text()
            assert devices(stored(api, pod)) == {}
            assert fits(lame, pod, "node-a"), "the card is free again"
    finally:
        lame.stop()


def test_while_the_api_server_is_away_nothing_is_bound_and_then_it_is(
    api: Api, namespace: str, binder: Binder, control_plane: ControlPlane
) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        pod = create(api, namespace, asking("p"))
        seen(binder, pod, "node-a")
        control_plane.stop_api_server()
        try:
            assert bind(binder, pod, "node-a") != ""
        finally:
            control_plane.start_api_server()
            until(lambda: api.list("ExtendedResource").ok, "our kinds are served again")
        assert ("nodeName" in stored(api, pod)["spec"], devices(stored(api, pod))) == (False, {})

        until(lambda: bind(binder, pod, "node-a") == "", "the next attempt succeeds", 30)
        assert device(stored(api, pod)) == "GPU-node-a-0"


def _account(api: Api, scheduling: Scheduling, name: str, rules: list[Json]) -> Any:
    """A kubeconfig of a service account with these rules alone."""
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": chart.NAMESPACE}
    version = "rbac.authorization.k8s.io/v1"
    metadata = {"name": name}
    for obj in (
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {**metadata, "namespace": chart.NAMESPACE},
        },
        {"apiVersion": version, "kind": "ClusterRole", "metadata": metadata, "rules": rules},
        {
            "apiVersion": version,
            "kind": "ClusterRoleBinding",
            "metadata": metadata,
            "roleRef": reference,
            "subjects": [subject],
        },
    ):
        api.create(obj).must()
    return scheduling.plane.kubeconfig(scheduling.plane.service_account_token(chart.NAMESPACE, name))
