"""While the binder does not answer, class pods are admitted and wait; nothing is bound without devices."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.harness.api import Api
from tests.harness.cluster import pod
from tests.harness.controlplane import ControlPlane
from tests.harness.devices import device_nodes, k80
from tests.harness.scheduling import Binder, SchedulerPod
from tests.harness.waiting import holds, until
from tests.scheduling.expect import asking, bound, device

RECOVERY_SECONDS = 60.0


@contextmanager
def refusing(binder: Binder) -> Iterator[None]:
    """Nobody listens on its port."""
    binder.stop()
    yield
    binder.start().wait_ready()


@contextmanager
def silent(binder: Binder) -> Iterator[None]:
    """Connections are taken and never answered."""
    os.killpg(binder.process.pid, signal.SIGSTOP)
    yield
    os.killpg(binder.process.pid, signal.SIGCONT)


@contextmanager
def failing(binder: Binder) -> Iterator[None]:
    """It answers 500."""
    binder.stop()
    with ThreadingHTTPServer(("127.0.0.1", binder.port), _Fails) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()
    binder.start().wait_ready()


class _Fails(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_error(500)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


# kubernetes/kubernetes#122494: an extender that may be ignored was, and the pod ran without a chosen card.
@pytest.mark.parametrize("outage", [refusing, silent, failing])
def test_a_pod_waits_until_the_binder_is_back(
    api: Api, namespace: str, scheduler: SchedulerPod, outage: type
) -> None:
    address = f"http://127.0.0.1:{scheduler.binder.port}/filter"

    def told() -> bool:
        events = api.items("v1/Event", namespace, fieldSelector="reason=FailedScheduling")
        return any(address in event["message"] or "extender" in event["message"] for event in events)

    with device_nodes(api, {"node-a": [k80()]}):
        with outage(scheduler.binder):
            api.create(asking("waits"), namespace).must()
            until(told, "an event names the extender", 30)
            assert "nodeName" not in api.get("Pod", "waits", namespace).must()["spec"]
        pod = bound(api, namespace, "waits", RECOVERY_SECONDS)

    assert device(pod) == "GPU-node-a-0"


def test_pods_of_other_schedulers_do_not_notice(
    api: Api, namespace: str, scheduler: SchedulerPod, control_plane: ControlPlane
) -> None:
    with (
        device_nodes(api, {"node-a": [k80()]}),
        control_plane.start_scheduler(),
        refusing(scheduler.binder),
    ):
        api.create(pod("plain"), namespace).must()
        assert bound(api, namespace, "plain")["spec"]["schedulerName"] == "default-scheduler"
        api.create(asking("class-pod"), namespace).must()
        holds(lambda: "nodeName" not in api.get("Pod", "class-pod", namespace).must()["spec"], "it waits", 2)
