"""Classes with a default quota: nobody uses more of them in the moment before their quota is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.expect import OURS, asking, assert_denied, assert_mutated, assert_room
from tests.cluster.expect_quota import limit
from tests.cluster.workloads import workload
from tests.harness.api import Answer, Api
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.product import fresh_class

Json = dict[str, Any]

NAME = "default.k80"
DEFAULTS = "resourceclass-defaults"


@pytest.fixture(scope="module", autouse=True)
def with_default(control_plane: ControlPlane) -> Iterator[None]:
    """A class of which a namespace may use 2 that says nothing else. No controller runs in this room."""
    with fresh_class(control_plane.api(), NAME, quota={"default": 2}):
        yield


def assert_has_to_wait(answer: Answer) -> None:
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    assert OURS in answer.message
    assert f"the default quota of class {NAME} (2 per namespace) is not in place" in answer.message


def test_a_pod_in_a_new_namespace_has_to_wait_for_the_default(api: Api, namespace: str) -> None:
    for amount in (1, 3):
        assert_has_to_wait(api.create(asking("p", amount, NAME), namespace))
    assert api.items("Pod", namespace) == []


def test_once_the_default_is_there_the_api_server_counts_by_it(api: Api, namespace: str) -> None:
    limit(api, namespace, {NAME: 2}, DEFAULTS)

    assert_mutated(api.create(asking("first", 2, NAME), namespace).must(), {NAME: 2})

    refused = api.create(asking("second", 1, NAME), namespace)
    assert_denied(refused, 1, 2, 2, quota=DEFAULTS, class_name=NAME)
    assert_room(api, namespace, 0, NAME)


def test_a_quota_of_the_namespace_is_in_the_place_of_the_default(api: Api, namespace: str) -> None:
    limit(api, namespace, {NAME: 5})

    api.create(asking("p", 5, NAME), namespace).must()


def test_a_class_that_is_made_with_its_pod_does_not_pass_its_default(api: Api, namespace: str) -> None:
    """Applied in one go the pod comes a millisecond after its class, before any watch has told of it."""
    with fresh_class(api, "sudden.k80", quota={"default": 1}):
        answer = api.create(asking("p", 2, "sudden.k80"), namespace)

    assert answer.code == 403
    assert "the default quota of class sudden.k80 (1 per namespace) is not in place" in answer.message


@pytest.mark.parametrize(("mode", "told"), [("warn", 1), ("off", 0)])
def test_the_mode_of_the_namespace_bends_it(api: Api, mode: str, told: int) -> None:
    with fresh_namespace(api, {"resourceclass.io/enforce": mode}) as namespace:
        answer = api.create(asking("p", 1, NAME), namespace)

    assert_mutated(answer.must(), {NAME: 1})
    assert len([each for each in answer.warnings if "not in place" in each]) == told


def test_a_workload_that_the_default_cannot_hold_is_warned_of(api: Api, namespace: str) -> None:
    made = workload("Deployment", "w", {f"resourceclass.io/{NAME}": 1})
    made["spec"]["replicas"] = 3

    answer = api.create(made, namespace, dryRun="All")

    answer.must()
    assert any(f"quota {DEFAULTS} allows 2 of class {NAME}" in each for each in answer.warnings)
