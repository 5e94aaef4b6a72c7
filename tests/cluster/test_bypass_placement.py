"""Ways around the scheduler and around mutation: refused, or without effect on what is counted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cluster.expect import K80, OURS, asking, assert_denied, assert_mutated, key
from tests.cluster.expect_quota import limit
from tests.harness.api import Answer, Api
from tests.harness.cluster import fresh_namespace, pod

pytestmark = pytest.mark.usefixtures("classes")

Json = dict[str, Any]

OPT_OUT = {"resourceclass.io/webhook": "ignore"}


def labelled(made: Json, labels: Json) -> Json:
    made["metadata"]["labels"] = labels
    return made


def by_hand(api: Api, namespace: str, name: str, amount: int = 1) -> Json:
    """A pod that somebody has copied from what mutation makes, with the label that skips mutation."""
    spec = api.create(asking(name, amount), namespace, dryRun="All").must()["spec"]
    return labelled({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}, OPT_OUT)


def assert_refused(answer: Answer, *parts: str) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    for part in (OURS, *parts):
        assert part in answer.message, answer.message


@pytest.mark.parametrize("spelling", [K80, key(K80)])
def test_a_class_pod_cannot_choose_its_node_by_hand(api: Api, namespace: str, spelling: str) -> None:
    answer = api.create(pod("p", {spelling: 1}, nodeName="node-a"), namespace)

    assert_refused(answer, "spec.nodeName is set to node-a by hand", "kubernetes.io/hostname: node-a")
    assert api.items("Pod", namespace) == []


def test_a_plain_pod_may_choose_its_node(api: Api, namespace: str) -> None:
    assert api.create(pod("p", {"cpu": "1"}, nodeName="node-a"), namespace, dryRun="All").ok


# enix/kube-image-keeper#560: the annotation alone must not be believed.
def test_the_mirror_annotation_saves_no_user_from_that(api: Api, namespace: str) -> None:
    made = asking("p", nodeName="node-a")
    made["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "5f2c"}

    assert_refused(api.create(made, namespace), "spec.nodeName is set to node-a by hand")
    assert api.items("Pod", namespace) == []


@pytest.mark.parametrize("spelling", [K80, key(K80)])
def test_a_class_pod_cannot_go_to_another_scheduler(api: Api, namespace: str, spelling: str) -> None:
    answer = api.create(pod("p", {spelling: 1}, schedulerName="volcano"), namespace)

    assert_refused(answer, 'spec.schedulerName is "volcano"', "resourceclass-scheduler")


def test_a_plain_pod_may_go_to_another_scheduler(api: Api, namespace: str) -> None:
    stored = api.create(pod("p", {"cpu": "1"}, schedulerName="volcano"), namespace).must()

    assert stored["spec"]["schedulerName"] == "volcano"


def test_a_pod_that_skipped_mutation_is_refused_with_the_label_as_the_cause(api: Api, namespace: str) -> None:
    answer = api.create(labelled(asking("p"), OPT_OUT), namespace)

    assert_refused(answer, "spec.schedulerName (resourceclass-scheduler)", "remove the label")
    assert api.items("Pod", namespace) == []


def test_a_pod_that_skipped_mutation_with_a_bare_name_is_refused(api: Api, namespace: str) -> None:
    answer = api.create(labelled(pod("p", {K80: 1}), OPT_OUT), namespace)

    assert not answer.ok
    assert api.items("Pod", namespace) == []


def test_a_pod_that_is_as_mutation_makes_it_may_skip_mutation(api: Api, namespace: str) -> None:
    assert_mutated(api.create(by_hand(api, namespace, "p"), namespace).must())


def test_a_pod_that_skips_mutation_does_not_skip_the_quota(api: Api, namespace: str) -> None:
    limit(api, namespace, 1)
    made = by_hand(api, namespace, "p")
    made["spec"]["containers"][0]["resources"] = {part: {key(K80): "2"} for part in ("limits", "requests")}
    made["spec"].pop("affinity")

    answer = api.create(made, namespace)

    assert_denied(answer, 2, 0, 1)
    assert "the pod is not as ResourceClass writes it" in answer.message


@pytest.mark.parametrize("field", ["schedulerName", "affinity"])
def test_a_pod_that_skips_mutation_must_have_every_field(api: Api, namespace: str, field: str) -> None:
    made = by_hand(api, namespace, "p")
    made["spec"].pop(field)

    assert_refused(api.create(made, namespace), "the pod is not as ResourceClass writes it")


def test_the_server_counts_in_a_namespace_that_has_opted_out(api: Api) -> None:
    with fresh_namespace(api, OPT_OUT) as namespace:
        limit(api, namespace, 1)
        stored = api.create(asking("first"), namespace).must()
        answer = api.create(asking("second"), namespace)

    assert stored["spec"]["schedulerName"] == "default-scheduler", "nothing is written there"
    assert_denied(answer, 1, 1, 1, ours=False)


def test_a_user_cannot_opt_a_namespace_out_without_the_right_to_label_it(api: Api, namespace: str) -> None:
    user = api.impersonate("jane")

    answer = user.patch("Namespace", namespace, {"metadata": {"labels": OPT_OUT}})

    assert (answer.code, answer.reason) == (403, "Forbidden")
