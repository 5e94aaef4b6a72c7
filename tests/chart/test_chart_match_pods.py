"""Which pods the API server sends to the webhooks. Both are down, so one that is sent is refused with 500."""

from __future__ import annotations

import pytest

from tests.chart.installing import called
from tests.chart.samples import K80, STORED_K80, Json, asking, class_pod, container, pod_of
from tests.harness.api import STRATEGIC_PATCH, Answer, Api
from tests.harness.chart import NAMESPACE
from tests.harness.cluster import fresh_namespace
from tests.harness.waiting import until

PLAIN = {
    "no resources": pod_of(container()),
    "null resources": pod_of(container(resources=None)),
    "null limits and requests": pod_of(container(resources={"limits": None, "requests": None})),
    "empty limits": pod_of(container(resources={"limits": {}})),
    "null init containers": pod_of(container(), initContainers=None),
    "no init containers": pod_of(container(), initContainers=[]),
    "an init container without resources": pod_of(container(), initContainers=[container("init")]),
    "null labels and annotations": {
        **pod_of(container()),
        "metadata": {"generateName": "pod-", "labels": None, "annotations": None},
    },
    "cpu and memory": pod_of(container(resources={"limits": {"cpu": "1", "memory": "1Gi"}})),
    "huge pages": pod_of(container(resources={"limits": {"hugepages-2Mi": "4Mi", "memory": "1Gi"}})),
    "ephemeral storage": pod_of(asking("ephemeral-storage", "1Gi")),
    "a vendor's device": pod_of(asking("nvidia.com/gpu")),
    "pod-level resources": pod_of(container(), resources={"limits": {"cpu": "1"}}),
    "host network": pod_of(container(), hostNetwork=True),
    "a class name in labels": pod_of(container(), labels={STORED_K80: "1"}),
}

ASKING = {
    "bare, in limits": pod_of(asking(K80)),
    "bare, in requests": pod_of(asking(K80, part="requests")),
    "stored, in limits": pod_of(asking(STORED_K80)),
    "stored, in requests": pod_of(asking(STORED_K80, part="requests")),
    "bare, in an init container": pod_of(container(), initContainers=[asking(K80, name="init")]),
    "stored, in an init container": pod_of(container(), initContainers=[asking(STORED_K80, name="init")]),
    "in a sidecar": pod_of(
        container(), initContainers=[{**asking(STORED_K80, name="side"), "restartPolicy": "Always"}]
    ),
    "in the last of many containers": pod_of(
        *[container(f"c{n}") for n in range(20)], asking(K80, name="last")
    ),
    "bare, at the pod level": pod_of(container(), resources={"limits": {K80: "1"}}),
    "without a dot": pod_of(asking("k80")),
    "zero of it": pod_of(asking(STORED_K80, "0")),
    "beside a vendor's device": pod_of(container(resources={"limits": {"nvidia.com/gpu": "1", K80: "1"}})),
}


@pytest.mark.parametrize("pod", PLAIN.values(), ids=PLAIN.keys())
def test_a_pod_without_a_class_is_stored_while_the_webhooks_are_down(
    installed: Api, namespace: str, pod: Json
) -> None:
    installed.create(pod, namespace).must()


@pytest.mark.parametrize("spec", [None, {}, {"containers": None}, {"containers": []}])
def test_a_pod_without_containers_gets_the_api_servers_own_answer(
    installed: Api, namespace: str, spec: Json | None
) -> None:
    answer = installed.create({**pod_of(), "spec": spec}, namespace)

    assert (answer.code, "spec.containers: Required value" in answer.message) == (422, True)


@pytest.mark.parametrize("pod", ASKING.values(), ids=ASKING.keys())
def test_a_pod_that_asks_for_a_class_is_sent_to_mutation(installed: Api, namespace: str, pod: Json) -> None:
    assert called(installed.create(pod, namespace)) == "pods/mutate"


@pytest.mark.parametrize(
    "pod",
    [
        class_pod(labels={"resourceclass.io/webhook": "ignore"}),
        pod_of(
            container(),
            initContainers=[asking(STORED_K80, name="init")],
            labels={"resourceclass.io/webhook": "ignore"},
        ),
    ],
)
def test_a_pod_that_skips_mutation_by_its_label_is_still_validated(
    installed: Api, namespace: str, pod: Json
) -> None:
    assert called(installed.create(pod, namespace)) == "pods/validate"


def test_a_namespace_that_opted_out_is_left_alone(installed: Api) -> None:
    with fresh_namespace(installed, {"resourceclass.io/webhook": "ignore"}) as ignored:
        installed.create(class_pod(), ignored).must()


@pytest.mark.parametrize("exempt", ["kube-system", NAMESPACE])
def test_pods_that_bring_the_cluster_back_are_never_sent(installed: Api, exempt: str) -> None:
    installed.create(class_pod(), exempt, dryRun="All").must()


def test_in_an_isolated_namespace_pods_without_a_class_are_sent_too(installed: Api) -> None:
    with fresh_namespace(installed, {"resourceclass.io/isolate": "true"}) as isolated:
        assert called(installed.create(pod_of(container()), isolated)) == "isolate/mutate/isolate"


def test_no_label_of_a_pod_opts_out_of_isolation(installed: Api) -> None:
    with fresh_namespace(installed, {"resourceclass.io/isolate": "true"}) as isolated:
        answer = installed.create(
            pod_of(container(), labels={"resourceclass.io/webhook": "ignore"}), isolated
        )

    assert called(answer) == "isolate/mutate/isolate"


def test_an_ephemeral_container_is_sent_only_where_pods_are_isolated(installed: Api, namespace: str) -> None:
    name = installed.create(pod_of(container()), namespace).must()["metadata"]["name"]

    def debug() -> Answer:
        patch = {"spec": {"ephemeralContainers": [container("debug")]}}
        return installed.patch(
            "Pod",
            name,
            patch,
            namespace,
            subresource="ephemeralcontainers",
            content_type=STRATEGIC_PATCH,
            dryRun="All",
        )

    debug().must()
    installed.patch(
        "Namespace", namespace, {"metadata": {"labels": {"resourceclass.io/isolate": "true"}}}
    ).must()

    until(lambda: called(debug()) == "isolate/mutate/isolate", "ephemeral containers are sent")
