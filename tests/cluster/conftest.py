"""In this room the product is installed: every fixture of a cluster is one of the product's control plane."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.reviews import Direct
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product, resource_class

MORE_THAN_10_GIB = {"key": "memory", "operator": "Gt", "values": ["10GiB"]}

# What most tests ask for. A class is seen by the whole cluster, so these stay for the session.
CLASSES = (
    resource_class("nvidia.tesla.k80", {"model": "NVIDIA Tesla K80"}),
    resource_class("nvidia.tesla.p100", {"model": "NVIDIA Tesla P100"}),
    resource_class("nvidia.high.mem", selector=[{"matchExpressions": [MORE_THAN_10_GIB]}]),
)


@pytest.fixture(scope="session")
def control_plane(product: Product) -> ControlPlane:
    """The control plane with the chart applied and the webhook running."""
    return product.plane


@pytest.fixture(scope="session")
def classes(control_plane: ControlPlane) -> None:
    """The classes nvidia.tesla.k80, nvidia.tesla.p100 and nvidia.high.mem are there."""
    for each in CLASSES:
        control_plane.api().apply(each, "tests", force="true").must()


@pytest.fixture
def direct(product: Product) -> Iterator[Direct]:
    """The webhook itself, without an API server before it."""
    with Direct(product.webhook.url, product.ca_file) as client:
        yield client
