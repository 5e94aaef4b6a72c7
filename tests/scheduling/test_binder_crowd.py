"""Many pods: a start of the binder reads them once, and its first answers are right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import crowd as full
from tests.cluster.crowd import Crowd, Size
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.scheduling import crowds as scenes

SMALL = Size(namespaces=12, pods=50, creates=5)


@pytest.fixture(scope="module")
def crowd(control_plane_binaries: dict[str, Path]) -> Iterator[Crowd]:
    """A control plane of its own, so that the pods are nobody else's burden."""
    with ControlPlane(control_plane_binaries) as plane, Product(plane, replicas=1) as product:
        yield full.gather(product, SMALL)


# openshift/multus-admission-controller#40, grafana/rollout-operator PR#441
@pytest.mark.timeout(240)
def test_starts_read_every_pod_once_and_forget_none(crowd: Crowd) -> None:
    scenes.starts_of_the_binder_list_once(crowd)
