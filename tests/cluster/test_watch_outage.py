"""The API server or its storage is killed, frozen, slow or late: no wrong verdict, in step 30 s later."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cluster.conftest import CLASSES
from tests.cluster.expect import asking, assert_denied
from tests.cluster.expect_quota import limit, settle
from tests.cluster.outages import IN_STEP_SECONDS, KINDS, right_or_uncertain, wait_in_step
from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.harness.waiting import until
from tests.harness.webhook import Replica
from webhook.cluster.connection import Connection
from webhook.cluster.course import Course, Setback
from webhook.cluster.list_watch import ListWatch, Timing
from webhook.cluster.resources import RESOURCE_CLASSES
from webhook.cluster.store import Store

Json = dict[str, Any]

AWAY_SECONDS = 12.0  # long enough for the delays between attempts to be at their longest
FROZEN_SECONDS = 4.0
CALLERS = 8
ROOM = 5
PROCESSES = 4


@pytest.fixture(scope="module")
def shaken(control_plane_binaries: dict[str, Path]) -> Iterator[Product]:
    with ControlPlane(control_plane_binaries) as plane, Product(plane) as product:
        for each in CLASSES:
            plane.api().create(each).must()
        yield product


@pytest.fixture(scope="module")
def control_plane(shaken: Product) -> ControlPlane:
    """The control plane of this file, which nobody else should have to suffer from."""
    return shaken.plane


@pytest.fixture
def limited(api: Api, namespace: str) -> str:
    """A namespace with room for five K80, of which one is used."""
    limit(api, namespace, ROOM)
    api.create(asking("first"), namespace).must()
    settle(api, namespace, 1)
    return namespace


@contextmanager
def frozen(plane: ControlPlane, name: str, seconds: float = FROZEN_SECONDS) -> Iterator[None]:
    """Stops a process of the control plane for some seconds, during which the body runs."""
    process = plane.process(name)
    process.send(signal.SIGSTOP)
    thaw = threading.Timer(seconds, process.send, [signal.SIGCONT])
    thaw.start()
    try:
        yield
    finally:
        thaw.join()


def assert_right(api: Api, namespace: str) -> None:
    """Whichever process is asked: four of five units are left."""
    for _ in range(2 * PROCESSES):
        assert right_or_uncertain(api, namespace, fits=4, too_many=5), "not judged"


def assert_changes_are_seen(api: Api, namespace: str) -> None:
    """By every process, through its watches."""
    api.patch("Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/enforce": "wran"}}}).must()

    def warned() -> bool:
        answers = [api.create(asking("p"), namespace, dryRun="All") for _ in range(2 * PROCESSES)]
        return all("wran is not known" in str(answer.warnings) for answer in answers)

    until(warned, "every process sees the label", 5)


def test_a_killed_api_server_that_comes_back_finds_the_webhook_in_step(
    api: Api, shaken: Product, limited: str
) -> None:
    lists = shaken.webhook.metric("resourceclass_cache_relists_total")
    shaken.plane.process("kube-apiserver").stop(signal.SIGKILL)
    time.sleep(AWAY_SECONDS)
    broken_at = time.monotonic()
    shaken.plane.start_api_server()
    deadline = time.monotonic() + IN_STEP_SECONDS

    until(lambda: right_or_uncertain(api, limited, fits=4, too_many=5), "verdicts", IN_STEP_SECONDS)
    wait_in_step(shaken, broken_at)
    assert time.monotonic() < deadline

    assert_right(api, limited)
    assert_changes_are_seen(api, limited)
    again = shaken.webhook.metric("resourceclass_cache_relists_total") - lists
    assert 0 < again <= PROCESSES * KINDS, f"{again} lists: versions of before the restart have expired"


def test_a_version_that_the_api_server_has_forgotten_leads_to_a_list(shaken: Product) -> None:
    """The first version of all: no watch cache reaches back so far."""
    connection = Connection(str(shaken.plane.kubeconfig()))
    store: Store[Json] = Store()
    timing = Timing(
        time.monotonic, lambda low, high: low, lambda seconds: False, lambda: store.generation > 0
    )
    watch = ListWatch(connection, RESOURCE_CLASSES, store, timing)

    expired = watch.step(Course("1"))
    listed = watch.step(expired)
    connection.close()

    assert (expired.version, expired.last) == (None, Setback.EXPIRED)
    assert {each["metadata"]["name"] for each in store.snapshot()[1]} == {
        each["metadata"]["name"] for each in CLASSES
    }
    assert int(listed.version or 0) > 1


def test_an_api_server_that_freezes_is_waited_for(api: Api, shaken: Product, limited: str) -> None:
    with frozen(shaken.plane, "kube-apiserver"):
        right_or_uncertain(api, limited, fits=4, too_many=5)

    assert_right(api, limited)
    assert_changes_are_seen(api, limited)


def test_slow_storage_makes_no_wrong_verdict(api: Api, shaken: Product, limited: str) -> None:
    with frozen(shaken.plane, "etcd"), ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda _: right_or_uncertain(api, limited, fits=4, too_many=5), range(2 * CALLERS)))

    until(lambda: right_or_uncertain(api, limited, fits=4, too_many=5), "verdicts", IN_STEP_SECONDS)
    assert_right(api, limited)
    assert_changes_are_seen(api, limited)


def test_creations_while_storage_is_slow_never_exceed_the_quota(
    api: Api, shaken: Product, limited: str
) -> None:
    with frozen(shaken.plane, "etcd"), ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda number: api.create(asking(f"p{number}"), limited), range(2 * CALLERS)))

    stored = len(api.items("Pod", limited))
    assert 1 <= stored <= ROOM
    # A creation that failed after it was counted is given back at the next recount, which a change starts.
    api.patch("ResourceQuota", "q", {"spec": {"hard": {"pods": "50"}}}, limited).must()
    settle(api, limited, stored)
    assert_denied(api.create(asking("p", ROOM), limited, dryRun="All"), ROOM, stored, ROOM)


def test_a_webhook_that_is_there_before_its_api_server_waits_for_it(
    api: Api, shaken: Product, limited: str
) -> None:
    webhook = shaken.webhook
    webhook.stop()
    shaken.plane.stop_api_server()
    webhook.replicas = [webhook._start(number) for number in range(2)]
    for replica in webhook.replicas:
        until(partial(_waits, replica), "it says why it is not ready")
    shaken.plane.start_api_server()
    back = time.monotonic()

    for replica in webhook.replicas:
        replica.wait_ready()
    assert time.monotonic() - back < IN_STEP_SECONDS
    webhook.send_to(webhook.replicas)
    until(lambda: right_or_uncertain(api, limited, fits=4, too_many=5), "verdicts", IN_STEP_SECONDS)
    assert_right(api, limited)


def test_a_clean_stop_leaves_no_warning_in_the_log(shaken: Product) -> None:
    logs = [replica.process.log for replica in shaken.webhook.replicas]
    before = [log.stat().st_size for log in logs]
    with shaken.webhook_stopped():
        said = [log.read_text()[start:] for log, start in zip(logs, before, strict=True)]

    for text in said:
        assert '"stopped"' in text
        assert '"warning"' not in text
        assert '"error"' not in text


def _waits(replica: Replica) -> bool:
    try:
        answer = replica.health("/readyz")
    except httpx.TransportError:  # its port is not open yet
        return False
    return answer.status_code == 503 and "did not answer" in answer.text
