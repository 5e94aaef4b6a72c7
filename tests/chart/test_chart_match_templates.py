"""Which templates, quotas and limit ranges are sent to have their names rewritten. The webhooks are down."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.installing import called
from tests.chart.samples import K80, STORED_K80, Json, asking, container
from tests.chart.templated import ENTRY, MAKE
from tests.harness.api import Api
from tests.harness.cluster import quota

KINDS = list(MAKE)

QUOTA_SPELLINGS = [
    K80,
    f"requests.{K80}",
    f"limits.{K80}",
    STORED_K80,
    f"limits.{STORED_K80}",
    "k80",
]

QUOTA_STANDARD = [
    "cpu",
    "requests.cpu",
    "limits.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "persistentvolumeclaims",
    "services.loadbalancers",
    "count/pods",
    "count/resourceclasses.resourceclass.io",
    "hugepages-2Mi",
    "requests.hugepages-2Mi",
    "requests.nvidia.com/gpu",
    "gold.storageclass.storage.k8s.io/requests.storage",
    f"requests.{STORED_K80}",
]

LIMIT_RANGE_MAPS = ["default", "defaultRequest", "max", "min", "maxLimitRequestRatio"]


def limit_range(**item: Any) -> Json:
    """A LimitRange of one item for containers."""
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "some"},
        "spec": {"limits": [{"type": "Container", **item}]},
    }


@pytest.mark.parametrize("part", ["limits", "requests"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_template_with_a_bare_class_is_sent(installed: Api, namespace: str, kind: str, part: str) -> None:
    answer = installed.create(MAKE[kind]([asking(K80, part=part)]), namespace)

    assert called(answer) == f"{ENTRY[kind]}/mutate"


@pytest.mark.parametrize("kind", KINDS)
def test_a_bare_class_of_an_init_container_is_seen(installed: Api, namespace: str, kind: str) -> None:
    workload = MAKE[kind]([container()], initContainers=[asking(K80, name="init")])

    assert called(installed.create(workload, namespace)) == f"{ENTRY[kind]}/mutate"


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_with_the_stored_name_needs_no_webhook(installed: Api, namespace: str, kind: str) -> None:
    installed.create(MAKE[kind]([asking(STORED_K80)]), namespace).must()


@pytest.mark.parametrize("kind", KINDS)
def test_a_template_without_a_class_needs_no_webhook(installed: Api, namespace: str, kind: str) -> None:
    installed.create(MAKE[kind]([container(), asking("nvidia.com/gpu", name="vendor")]), namespace).must()


def test_a_controller_without_a_template_gets_the_api_servers_own_answer(
    installed: Api, namespace: str
) -> None:
    workload = MAKE["ReplicationController"]([])
    del workload["spec"]["template"]

    answer = installed.create(workload, namespace)

    assert (answer.code, "spec.template: Required value" in answer.message) == (422, True)


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_that_a_controller_owns_is_not_sent(installed: Api, namespace: str, kind: str) -> None:
    owner = {"apiVersion": "example.com/v1", "kind": "Owner", "name": "o", "uid": "u", "controller": True}
    workload = MAKE[kind]([asking(K80)])
    workload["metadata"]["ownerReferences"] = [owner]

    answer = installed.create(workload, namespace)

    # The bare name then meets the API server's own rules, which refuse it in most kinds.
    assert called(answer) is None
    assert answer.code in (201, 422)


@pytest.mark.parametrize("key", QUOTA_SPELLINGS)
def test_a_quota_with_a_spelling_that_would_not_be_enforced_is_sent(
    installed: Api, namespace: str, key: str
) -> None:
    assert called(installed.create(quota("q", {"cpu": "1", key: "1"}), namespace)) == "resourcequotas/mutate"


@pytest.mark.parametrize("key", QUOTA_STANDARD)
def test_a_quota_of_other_resources_needs_no_webhook(installed: Api, namespace: str, key: str) -> None:
    installed.create(quota("q", {key: "1"}), namespace).must()


def test_a_quota_without_limits_needs_no_webhook(installed: Api, namespace: str) -> None:
    installed.create({**quota("q", {}), "spec": {}}, namespace).must()


@pytest.mark.parametrize("which", LIMIT_RANGE_MAPS)
def test_a_limit_range_with_a_bare_class_is_sent(installed: Api, namespace: str, which: str) -> None:
    answer = installed.create(limit_range(**{which: {K80: "1"}}), namespace)

    assert called(answer) == "limitranges/mutate"


@pytest.mark.parametrize(
    "item",
    [
        {},
        {"max": {"cpu": "1", "ephemeral-storage": "1Gi", "hugepages-2Mi": "2Mi"}},
        {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}},
        {"max": {STORED_K80: "1"}},
    ],
)
def test_a_limit_range_without_a_bare_class_needs_no_webhook(
    installed: Api, namespace: str, item: Json
) -> None:
    installed.create(limit_range(**item), namespace).must()


def test_a_limit_range_with_null_limits_gets_the_api_servers_own_answer(
    installed: Api, namespace: str
) -> None:
    answer = installed.create({**limit_range(), "spec": {"limits": None}}, namespace)

    assert called(answer) is None
