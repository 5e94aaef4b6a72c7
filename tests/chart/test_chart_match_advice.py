"""What is sent for advice alone. The webhooks are down, which stops nothing: the server only counts it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.chart.samples import K80, STORED_K80, asking, container
from tests.chart.templated import MAKE
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace

PASSED_OVER = "apiserver_admission_webhook_fail_open_count"
SENT = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob"]
OWNER = {"apiVersion": "example.com/v1", "kind": "Owner", "name": "o", "uid": "u", "controller": True}


@pytest.fixture
def sent(installed: Api) -> Callable[[str], int]:
    """Tells how often an entry was called in vain and passed over since the test began."""

    def count(entry: str) -> int:
        pattern = (
            rf'apiserver_admission_webhook_fail_open_count{{name="{entry}.resourceclass.io"[^}}]*}} (\d+)'
        )
        return sum(map(int, re.findall(pattern, installed.request("GET", "/metrics").body["message"])))

    before = {entry: count(entry) for entry in ("workloads", "adopt-workloads", "deletions")}
    return lambda entry: count(entry) - before[entry]


@pytest.mark.parametrize("kind", SENT)
def test_a_workload_with_a_class_is_sent_and_stored_all_the_same(
    installed: Api, namespace: str, sent: Callable[[str], int], kind: str
) -> None:
    installed.create(MAKE[kind]([asking(STORED_K80)]), namespace).must()

    assert sent("workloads") == 1


@pytest.mark.parametrize("kind", SENT)
def test_a_workload_without_a_class_is_not_sent(
    installed: Api, namespace: str, sent: Callable[[str], int], kind: str
) -> None:
    installed.create(MAKE[kind]([container()]), namespace).must()

    assert sent("workloads") == 0


@pytest.mark.parametrize("kind", SENT)
def test_where_pods_are_adopted_a_workload_with_a_vendors_device_is_sent(
    installed: Api, sent: Callable[[str], int], kind: str
) -> None:
    with fresh_namespace(installed, {"resourceclass.io/adopt": "some"}) as adopting:
        installed.create(MAKE[kind]([asking("nvidia.com/gpu")]), adopting).must()
        plain = MAKE[kind]([container()])
        plain["metadata"]["name"] = "plain"
        installed.create(plain, adopting).must()

    assert (sent("workloads"), sent("adopt-workloads")) == (0, 1)


def test_elsewhere_a_workload_with_a_vendors_device_is_not_sent(
    installed: Api, namespace: str, sent: Callable[[str], int]
) -> None:
    installed.create(MAKE["Deployment"]([asking("nvidia.com/gpu")]), namespace).must()

    assert (sent("workloads"), sent("adopt-workloads")) == (0, 0)


def test_what_a_controller_owns_is_not_sent(
    installed: Api, namespace: str, sent: Callable[[str], int]
) -> None:
    workload = MAKE["ReplicaSet"]([asking(STORED_K80)])
    workload["metadata"]["ownerReferences"] = [OWNER]

    installed.create(workload, namespace).must()

    assert sent("workloads") == 0


def test_a_change_is_sent_when_it_is_one_of_the_spec(
    installed: Api, namespace: str, sent: Callable[[str], int]
) -> None:
    installed.create(MAKE["StatefulSet"]([asking(STORED_K80)]), namespace).must()

    installed.patch("StatefulSet", "some", {"metadata": {"labels": {"a": "b"}}}, namespace).must()
    after_labels = sent("workloads")
    installed.patch("StatefulSet", "some", {"spec": {"replicas": 2}}, namespace).must()

    assert (after_labels, sent("workloads")) == (1, 2)


def test_the_deletion_of_a_class_is_sent_and_done_all_the_same(
    installed: Api, sent: Callable[[str], int]
) -> None:
    path = f"/apis/resourceclass.io/v1alpha1/resourceclasses/{K80}"

    installed.request("DELETE", path, query={"dryRun": "All"}).must()

    assert sent("deletions") == 1
