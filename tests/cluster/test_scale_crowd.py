"""Many pods: no admission lists them, a restart reads them once, and the first answers after it are right.

`make soak` plays the same scenes with ten thousand pods.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import crowd as scenes
from tests.cluster.crowd import Crowd, Size
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product

pytestmark = pytest.mark.timeout(240)

SMALL = Size(namespaces=20, pods=25, creates=40)


@pytest.fixture(scope="module")
def crowd(control_plane_binaries: dict[str, Path]) -> Iterator[Crowd]:
    """A control plane of its own, so that the pods are nobody else's burden."""
    with ControlPlane(control_plane_binaries) as plane, Product(plane) as product:
        yield scenes.gather(product, SMALL)


# openshift/multus-admission-controller#40: each admission listed all pods of the cluster.
def test_creations_list_nothing_of_the_cluster_and_are_counted_to_the_pod(crowd: Crowd) -> None:
    scenes.creations_list_nothing(crowd)


# grafana/rollout-operator PR#441: each restart pushed the API server to its knees.
def test_a_restarted_webhook_lists_once_and_is_right_from_its_first_answer(crowd: Crowd) -> None:
    scenes.a_restart_lists_once(crowd)


def test_a_restarted_api_server_is_no_storm_and_no_blind_spot(crowd: Crowd) -> None:
    scenes.a_restart_of_the_api_server_is_survived(crowd)
