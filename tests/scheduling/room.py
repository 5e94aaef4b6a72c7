"""Fixtures of the rooms in which pods are placed: a control plane of their own with the product on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.api import Api
from tests.harness.cluster import fresh_namespace
from tests.harness.controlplane import ControlPlane
from tests.harness.product import Product
from tests.scheduling.expect import clear


@pytest.fixture(scope="session")
def installed(control_plane_binaries: dict[str, Path]) -> Iterator[Product]:
    """The room's own: in another one, its pods would be placed and the nodes of its tests would change."""
    with ControlPlane(control_plane_binaries) as plane, Product(plane, replicas=1) as product:
        yield product


@pytest.fixture(scope="session")
def control_plane(installed: Product) -> ControlPlane:
    return installed.plane


@pytest.fixture
def namespace(api: Api) -> Iterator[str]:
    """A new namespace; its pods are gone when the next test begins, so that none takes a device of it."""
    with fresh_namespace(api) as name:
        try:
            yield name
        finally:
            clear(api, name)
