"""In this room the product is installed: every fixture of a cluster is one of the product's control plane."""

from __future__ import annotations

import pytest

from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product


@pytest.fixture(scope="session")
def control_plane(product: Product) -> ControlPlane:
    """The control plane with the chart applied and the webhook running."""
    return product.plane
