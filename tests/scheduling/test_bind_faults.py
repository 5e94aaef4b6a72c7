"""What becomes of a pod and its device when the API server fails in the middle of a bind, or speaks late."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness.api import Api
from tests.harness.devices import device_nodes, k80, p100
from tests.harness.faulty_proxy import FaultyProxy, Request
from tests.harness.scheduling import Binder, SchedulerPod, Scheduling
from tests.harness.waiting import holds, until
from tests.scheduling.expect import K80, P100, RECORD, asking, bound, device, devices, end, place
from tests.scheduling.verbs import bind, create, decides, fits, seen, stored

Json = dict[str, Any]

FREED_SECONDS = 5.0
LATE_SECONDS = 2.4  # a Binding is waited for 2 s, and the pod looked at for 3.5 s in all
HTTP_TIMEOUT_SECONDS = 5.0  # of the extender, in the scheduler's configuration


@pytest.fixture(scope="module")
def proxy(scheduling: Scheduling) -> Iterator[FaultyProxy]:
    with FaultyProxy(scheduling.plane) as started:
        yield started


@pytest.fixture(scope="module")
def no_scheduler(running: SchedulerPod) -> Iterator[None]:
    """The scheduler of the other tests is stopped, so that nobody else binds."""
    running.stop()
    yield
    running.start().wait_leading()


@pytest.fixture(scope="module")
def binder(scheduling: Scheduling, no_scheduler: None, proxy: FaultyProxy) -> Iterator[Binder]:
    """A binder without a scheduler, whose API server is behind the proxy."""
    kubeconfig = scheduling.kubeconfig(proxy.url)
    alone = Binder(scheduling, "behind", kubeconfig=kubeconfig, elected=False).start().wait_ready()
    decides(alone)
    yield alone
    alone.stop()


class Bindings:
    """A fault of Bindings: each gets this status, carried out or not. Counts them."""

    def __init__(self, status: int, *, carried_out: bool = False) -> None:
        self._status = status
        self._carried_out = carried_out
        self.count = 0

    def __call__(self, request: Request) -> int | None:
        if not request.path.endswith("/binding"):
            return None
        self.count += 1
        if self._carried_out:
            request.send().read()
        return self._status


def is_untouched(pod: Json) -> bool:
    return "nodeName" not in pod["spec"] and RECORD not in pod["metadata"].get("annotations", {})


# gpushare-scheduler-extender#99, #199: a binding failed with 500, and the card stayed reserved.
@pytest.mark.parametrize("status", [500, 503, 429, 403, 422])
def test_a_refused_binding_leaves_no_trace_and_the_next_attempt_succeeds(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy, status: int
) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-0")]}):
        pod, other = (create(api, namespace, asking(name)) for name in ("p", "other"))
        seen(binder, other, "node-a")
        with proxy.failing(Bindings(status)):
            assert str(status) in bind(binder, pod, "node-a")
        assert is_untouched(stored(api, pod))
        until(lambda: fits(binder, other, "node-a"), "the card is free", FREED_SECONDS)

        assert bind(binder, pod, "node-a") == ""
        assert device(stored(api, pod)) == "GPU-0"
        assert not fits(binder, other, "node-a"), "one card is used"


@pytest.mark.parametrize("status", [500, 504])
def test_a_binding_that_was_carried_out_although_the_server_says_5xx_is_a_success(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy, status: int
) -> None:
    with device_nodes(api, {"node-a": [k80(), k80()]}):
        pod, other = (create(api, namespace, asking(name)) for name in ("p", "other"))
        seen(binder, other, "node-a")
        with proxy.failing(Bindings(status, carried_out=True)):
            assert bind(binder, pod, "node-a") == ""
        first = devices(stored(api, pod))

        assert bind(binder, pod, "node-a") == ""
        assert devices(stored(api, pod)) == first
        assert fits(binder, other, "node-a"), "one of the two cards is left"


class Late:
    """A fault of Bindings: each reaches the API server when its caller has given up, or never."""

    def __init__(self, *, arrives: bool) -> None:
        self._arrives = arrives

    def __call__(self, request: Request) -> int | None:
        if not request.path.endswith("/binding"):
            return None
        time.sleep(LATE_SECONDS)
        return None if self._arrives else 504


# kubernetes/kubernetes#96579: an API server that is slower than its caller waits.
@pytest.mark.parametrize("arrives", [True, False])
def test_a_binding_whose_caller_has_given_up_leaves_both_node_and_devices_or_neither(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy, *, arrives: bool
) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-0")]}):
        pod, other = (create(api, namespace, asking(name)) for name in ("p", "other"))
        seen(binder, other, "node-a")
        with proxy.failing(Late(arrives=arrives)):
            started = time.monotonic()
            said = bind(binder, pod, "node-a")
            assert time.monotonic() - started < HTTP_TIMEOUT_SECONDS
        now = stored(api, pod)

        assert (said == "") is arrives
        assert devices(now) == {"main": ["GPU-0"]} if arrives else is_untouched(now)
        until(lambda: fits(binder, other, "node-a") is not arrives, "the books say so too", FREED_SECONDS)


# Project-HAMi/HAMi#987
def test_a_pod_that_somebody_else_bound_meanwhile_is_a_conflict_and_costs_its_own_devices_only(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy
) -> None:
    with device_nodes(api, {"node-a": [k80()], "node-b": [k80()]}):
        pod, other = (create(api, namespace, asking(name)) for name in ("p", "other"))
        seen(binder, other, "node-a")
        with proxy.holding(lambda event: event["object"]["metadata"].get("name") == "p"):
            _bind_by_hand(api, pod, "node-b")

            assert "another node" in bind(binder, pod, "node-a")
            assert devices(stored(api, pod)) == {}
            until(lambda: fits(binder, other, "node-a"), "the card of node-a is free", FREED_SECONDS)
            # A pod without a record holds a device of its class all the same.
            until(lambda: not fits(binder, other, "node-b"), "that of node-b is not", FREED_SECONDS)


def test_a_pod_that_is_deleted_under_the_binding_leaves_its_device_free(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy
) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        gone, next_one = (create(api, namespace, asking(name)) for name in ("gone", "next"))
        seen(binder, gone, "node-a")
        with proxy.holding(lambda event: event["object"]["metadata"].get("name") == "gone"):
            end(api, namespace, "gone")
            assert "404" in bind(binder, gone, "node-a")
            until(lambda: fits(binder, next_one, "node-a"), "the card is free", FREED_SECONDS)
        assert bind(binder, next_one, "node-a") == ""


# kubeovn/kube-ovn PR#1568, HAMi#2923: the late end of the old pod freed what the new one of its name has.
def test_the_end_of_a_pod_that_is_told_after_its_successor_frees_nothing_of_it(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy
) -> None:
    with device_nodes(api, {"node-a": [k80("GPU-k"), p100("GPU-p")]}):
        first = create(api, namespace, asking("web-0", K80))
        seen(binder, first, "node-a")
        assert bind(binder, first, "node-a") == ""
        with proxy.holding(lambda event: event["type"] == "DELETED"):
            end(api, namespace, "web-0")
            second = create(api, namespace, asking("web-0", P100))
            seen(binder, second, "node-a")
            assert bind(binder, second, "node-a") == ""
            assert device(stored(api, second)) == "GPU-p"
            # Of the first one's end nothing has been heard: in doubt it holds its device.
            again, late = (create(api, namespace, asking(name, of)) for name, of in (("k", K80), ("p", P100)))
            assert not fits(binder, again, "node-a")

        until(lambda: fits(binder, again, "node-a"), "the K80 of the first is free", FREED_SECONDS)
        holds(lambda: not fits(binder, late, "node-a"), "the P100 of the second is not", 1)


def test_while_the_end_of_a_pod_is_not_told_a_new_binder_knows_it_from_its_list(
    api: Api, namespace: str, binder: Binder, proxy: FaultyProxy
) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        pod = create(api, namespace, asking("web-0"))
        seen(binder, pod, "node-a")
        assert bind(binder, pod, "node-a") == ""
        with proxy.holding(lambda event: event["type"] == "DELETED"):
            end(api, namespace, "web-0")
            binder.kill()
            binder.start().wait_ready()
            decides(binder)
            again = create(api, namespace, asking("web-0"))
            seen(binder, again, "node-a")


class TestWithTheScheduler:
    """The same with kube-scheduler beside, which tries again by itself."""

    @pytest.fixture
    def leading(self, scheduling: Scheduling, no_scheduler: None, proxy: FaultyProxy) -> Iterator[None]:
        with SchedulerPod(scheduling, "behind-pod", kubeconfig=scheduling.kubeconfig(proxy.url)) as pod:
            pod.wait_leading()
            yield

    @pytest.mark.usefixtures("leading")
    def test_after_some_500s_a_pod_is_bound_without_anybodys_help(
        self, api: Api, namespace: str, proxy: FaultyProxy
    ) -> None:
        fault = Bindings(500)
        with device_nodes(api, {"node-a": [k80()]}):
            with proxy.failing(fault):
                api.create(asking("p"), namespace).must()
                until(lambda: fault.count >= 2, "it was tried twice", 30)
                assert is_untouched(api.get("Pod", "p", namespace).must())
            assert device(bound(api, namespace, "p")) == "GPU-node-a-0"
            end(api, namespace, "p")
            place(api, namespace, asking("next"))


def _bind_by_hand(api: Api, pod: Json, node: str) -> None:
    metadata = pod["metadata"]
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }
    path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
    api.request("POST", path, binding).must()
