"""In this room the chart is installed and both webhooks are down: what is sent to one is refused."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chart.installing import install
from tests.chart.rendering import Helm
from tests.chart.samples import K80, Json
from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from tests.harness.product import resource_class


@pytest.fixture(scope="session")
def control_plane(control_plane_binaries: dict[str, Path]) -> Iterator[ControlPlane]:
    """A control plane of this room's own, for no other test could ask for a class here."""
    with ControlPlane(control_plane_binaries) as plane:
        yield plane


@pytest.fixture(scope="session")
def helm(control_plane_binaries: dict[str, Path]) -> Helm:
    return Helm(control_plane_binaries["helm"])


@pytest.fixture(scope="session")
def objects(helm: Helm) -> list[Json]:
    """What the chart renders from the required values alone. Tests do not change it."""
    return helm.objects()


@pytest.fixture(scope="session")
def installed(control_plane: ControlPlane, helm: Helm) -> Iterator[Api]:
    """A client of the cluster with the chart in it and the webhooks down."""
    rendered = helm.objects({"webhook.caBundle": control_plane.pki.ca_file.read_text()})
    some_class = resource_class(K80, {"model": "NVIDIA Tesla K80"})
    with socket.socket() as reserved:
        # Bound but not listening: connections are refused, and nobody else gets the port.
        reserved.bind(("127.0.0.1", 0))
        install(control_plane.api(), rendered, reserved.getsockname()[1], some_class)
        yield control_plane.api()
