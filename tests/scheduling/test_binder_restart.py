"""A restart forgets nothing: the records of the pods are all that the binder knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness import chart
from tests.harness.api import Api
from tests.harness.audit import AuditLog
from tests.harness.devices import device_nodes, k80
from tests.harness.product import fresh_class
from tests.harness.scheduling import ACCOUNT, SchedulerPod
from tests.harness.waiting import until
from tests.scheduling.expect import (
    HIGH_MEM,
    K80,
    RECORD,
    asking,
    bound,
    device,
    finish,
    place,
    refuse,
    waiting,
)

Json = dict[str, Any]

USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
WATCHED = {"extendedresources", "nodes", "pods", "resourceclasses"}


@pytest.fixture
def shares(api: Api) -> Iterator[None]:
    """The classes sh2 and sh8, of as many GiB of a K80."""
    with (
        fresh_class(api, "sh2", {"model": "NVIDIA Tesla K80"}, share={"memory": "2GiB"}),
        fresh_class(api, "sh8", {"model": "NVIDIA Tesla K80"}, share={"memory": "8GiB"}),
    ):
        yield


def damage(api: Api, namespace: str, name: str) -> None:
    """Makes the record unreadable, as nobody but the binder's own account may."""
    binder = api.impersonate(USER, "system:masters")
    binder.patch("Pod", name, {"metadata": {"annotations": {RECORD: "{not json"}}}, namespace).must()


# Project-HAMi/HAMi#2876: books made anew forgot terminating pods and skipped what did not parse.
@pytest.mark.usefixtures("shares")
def test_a_killed_binder_comes_back_with_the_same_books(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    terminating = asking("terminating")
    terminating["metadata"]["finalizers"] = ["example.com/hold"]

    with device_nodes(api, {"node-a": [k80(f"GPU-{number}") for number in range(4)]}):
        place(api, namespace, asking("done"))
        finish(api, namespace, "done")
        place(api, namespace, asking("runs"))
        place(api, namespace, terminating)
        api.delete("Pod", "terminating", namespace, gracePeriodSeconds=0).must()
        shared = place(api, namespace, asking("shared", "sh2"))
        damaged = place(api, namespace, asking("damaged"))
        damage(api, namespace, "damaged")
        scheduler.binder.kill()
        scheduler.binder.start()
        late = [asking(f"late-{number}") for number in range(3)]
        for pod in (*late, asking("large", "sh8")):
            api.create(pod, namespace).must()
        scheduler.binder.wait_ready()
        large = bound(api, namespace, "large")
        for pod in late:
            waiting(api, namespace, pod["metadata"]["name"])

        def told() -> bool:
            about = "involvedObject.name=damaged,type=Warning"
            return any(
                RECORD in event["message"] for event in api.items("v1/Event", namespace, fieldSelector=about)
            )

        until(told, "an event says that the record is damaged")

    assert device(large) == device(shared)
    assert device(damaged) != device(shared)


def test_restarting_again_and_again_frees_nothing(api: Api, namespace: str, scheduler: SchedulerPod) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        place(api, namespace, asking("first", HIGH_MEM))
        for number in range(3):
            scheduler.binder.kill()
            scheduler.binder.start().wait_ready()
            # The capacity of the node still shows a K80: it is the binder who says no.
            assert "1 in use" in refuse(api, namespace, asking(f"late-{number}", K80))


def test_a_pod_that_was_deleted_meanwhile_holds_nothing(
    api: Api, namespace: str, scheduler: SchedulerPod
) -> None:
    with device_nodes(api, {"node-a": [k80()]}):
        first = place(api, namespace, asking("web-0"))
        scheduler.binder.kill()
        api.delete("Pod", "web-0", namespace, gracePeriodSeconds=0).must()
        scheduler.binder.start().wait_ready()
        again = place(api, namespace, asking("web-0"))

    assert device(again) == device(first)
    assert again["metadata"]["uid"] != first["metadata"]["uid"]


# openshift/multus-admission-controller#40: each restart read all pods of the cluster again and again.
def test_a_restart_lists_every_collection_once(
    api: Api, namespace: str, scheduler: SchedulerPod, audit: AuditLog
) -> None:
    mark = audit.mark()
    scheduler.binder.kill()
    scheduler.binder.start().wait_ready()
    with device_nodes(api, {"node-a": [k80()]}):
        place(api, namespace, asking("one", K80))

    lists = [
        event["objectRef"]["resource"]
        for event in audit.entries(mark, user=USER, verb="list")
        if "kube-scheduler" not in event["userAgent"]
    ]
    # As a new holder of the Lease it reads the pods once more.
    assert set(lists) >= WATCHED
    assert {name: lists.count(name) for name in WATCHED - {"pods"}} == dict.fromkeys(WATCHED - {"pods"}, 1)
    assert lists.count("pods") <= 2
