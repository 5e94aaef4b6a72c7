"""Which pods of a namespace that adopts the API server sends to the webhooks; both are down.

Validating entries are called at once, so what becomes of a pod that more than one could match is seen in
tests/cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chart.installing import called
from tests.chart.samples import Json, asking, container, pod_of
from tests.harness.api import Api
from tests.harness.chart import NAMESPACE
from tests.harness.cluster import fresh_namespace

GPU = "nvidia.com/gpu"
IGNORE = {"resourceclass.io/webhook": "ignore"}

ADOPTABLE = {
    "a vendor's device": pod_of(asking(GPU)),
    "another vendor's device": pod_of(asking("amd.com/gpu")),
    "in an init container": pod_of(container(), initContainers=[asking(GPU, name="init")]),
    "in a sidecar": pod_of(
        container(), initContainers=[{**asking(GPU, name="side"), "restartPolicy": "Always"}]
    ),
    "in the last of many containers": pod_of(
        *[container(f"c{n}") for n in range(20)], asking(GPU, name="last")
    ),
    "zero of it": pod_of(asking(GPU, "0")),
    "on a node by hand": pod_of(asking(GPU), nodeName="node-a"),
}

LEFT_ALONE = {
    "no resources": pod_of(container()),
    "null resources": pod_of(container(resources=None)),
    "null limits and requests": pod_of(container(resources={"limits": None, "requests": None})),
    "null init containers": pod_of(container(), initContainers=None),
    "cpu and memory": pod_of(container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})),
    "huge pages": pod_of(container(resources={"limits": {"hugepages-2Mi": "4Mi", "memory": "1Gi"}})),
    "a name of the vendor in labels": pod_of(container(), labels={GPU: "1"}),
}


@pytest.fixture(scope="module")
def adopting(installed: Api) -> Iterator[str]:
    with fresh_namespace(installed, {"resourceclass.io/adopt": "some"}) as namespace:
        yield namespace


@pytest.mark.parametrize("pod", ADOPTABLE.values(), ids=ADOPTABLE.keys())
def test_a_pod_that_asks_for_a_vendors_device_is_sent(installed: Api, adopting: str, pod: Json) -> None:
    assert called(installed.create(pod, adopting)) == "adopt/mutate/adopt"


@pytest.mark.parametrize("pod", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_every_other_pod_is_stored_while_the_webhooks_are_down(
    installed: Api, adopting: str, pod: Json
) -> None:
    installed.create(pod, adopting).must()


def test_a_pod_that_skips_mutation_by_its_label_is_still_validated(installed: Api, adopting: str) -> None:
    answer = installed.create(pod_of(asking(GPU), labels=IGNORE), adopting)

    assert called(answer) == "adopt/validate/adopt"


def test_elsewhere_a_vendors_device_is_nobodys_business(installed: Api, namespace: str) -> None:
    installed.create(pod_of(asking(GPU)), namespace).must()


@pytest.mark.parametrize("exempt", ["kube-system", NAMESPACE])
def test_pods_that_bring_the_cluster_back_are_never_sent(installed: Api, exempt: str) -> None:
    installed.patch("Namespace", exempt, {"metadata": {"labels": {"resourceclass.io/adopt": "some"}}}).must()

    installed.create(pod_of(asking(GPU)), exempt, dryRun="All").must()
