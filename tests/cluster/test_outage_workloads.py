"""While no replica answers: workloads that were applied before go on, but for new pods with a class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.expect import K80, key
from tests.cluster.workloads import limits_of, workload
from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace
from tests.harness.kubectl import Kubectl
from tests.harness.product import Product
from tests.harness.waiting import until

Json = dict[str, Any]

# Each test has a Deployment of its own, made while the webhook was there.
NAMES = ("scaled", "shrunk", "labelled", "finalized", "rolled", "undone", "deleted")


@dataclass(frozen=True)
class World:
    api: Api
    kubectl: Kubectl
    namespace: str

    def run(self, *arguments: str) -> None:
        self.kubectl(*arguments, "-n", self.namespace).must()

    def deployment(self, name: str) -> Json:
        return self.api.get("Deployment", name, self.namespace).must()

    def of(self, kind: str, name: str) -> list[Json]:
        return self.api.items(kind, self.namespace, labelSelector=f"app={name}")


@pytest.fixture(scope="module")
def world(product: Product, classes: None) -> Iterator[World]:
    """Deployments that were applied with the bare name and have a pod; then both replicas are stopped."""
    api, kubectl = product.plane.api(), product.plane.kubectl()
    with fresh_namespace(api) as namespace:
        manifests = {"apiVersion": "v1", "kind": "List", "items": [_deployment(name) for name in NAMES]}
        kubectl.apply_client_side(json.dumps(manifests), namespace).must()
        until(lambda: len(api.items("Pod", namespace)) == len(NAMES), "a pod of each Deployment", 60)
        with product.webhook_stopped():
            yield World(api, kubectl, namespace)


def _deployment(name: str) -> Json:
    made = workload("Deployment", name, {K80: 1})
    made["spec"]["strategy"] = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    return made


def test_they_scale(world: World) -> None:
    world.run("scale", "deployment/scaled", "--replicas=3")

    def told() -> bool:
        conditions = [
            c for each in world.of("ReplicaSet", "scaled") for c in each["status"].get("conditions", [])
        ]
        return any('failed calling webhook "pods.resourceclass.io"' in each["message"] for each in conditions)

    assert world.deployment("scaled")["spec"]["replicas"] == 3
    until(told, "the ReplicaSet tells what the new pods wait for", 30)
    assert len(world.of("Pod", "scaled")) == 1


def test_they_scale_down_to_nothing(world: World) -> None:
    world.run("scale", "deployment/shrunk", "--replicas=0")

    until(lambda: world.of("Pod", "shrunk") == [], "its pod is gone", 30)


def test_they_and_their_pods_get_labels(world: World) -> None:
    world.run("label", "deployment/labelled", "team=ml")
    (pod,) = world.of("Pod", "labelled")
    world.run("label", f"pod/{pod['metadata']['name']}", "team=ml")

    assert world.deployment("labelled")["metadata"]["labels"] == {"team": "ml"}


def test_finalizers_come_and_go(world: World) -> None:
    for finalizers in (["example.com/hold"], None):
        patch = {"metadata": {"finalizers": finalizers}}
        world.api.patch("Deployment", "finalized", patch, world.namespace).must()


def test_they_roll(world: World) -> None:
    world.run("set", "image", "deployment/rolled", "main=example.com/none:2")

    until(lambda: len(world.of("ReplicaSet", "rolled")) == 2, "a second ReplicaSet", 30)
    assert limits_of(world.deployment("rolled")) == {key(K80): "1"}


def test_they_roll_back(world: World) -> None:
    world.run("rollout", "restart", "deployment/undone")
    until(lambda: len(world.of("ReplicaSet", "undone")) == 2, "a second ReplicaSet", 30)

    world.run("rollout", "undo", "deployment/undone")

    template = world.deployment("undone")["spec"]["template"]
    assert "annotations" not in template["metadata"]


def test_they_are_deleted_with_all_that_is_theirs(world: World) -> None:
    world.run("delete", "deployment/deleted", "--cascade=foreground", "--timeout=40s")

    assert world.api.get("Deployment", "deleted", world.namespace).code == 404
    assert world.of("ReplicaSet", "deleted") == []
    assert world.of("Pod", "deleted") == []


def test_afterwards_what_has_waited_is_made(world: World, product: Product) -> None:
    """The last test of this module: the ReplicaSets try again by themselves."""
    world.run("scale", "deployment/labelled", "--replicas=2")
    product.webhook.start()
    try:
        until(lambda: len(world.of("Pod", "labelled")) == 2, "the second pod", 60)
    finally:
        product.webhook.stop()
