"""The chart's tests have a control plane of their own, in which both webhooks are down."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator

import pytest

from tests.chart.chart import K80, Helm, Json, install
from tests.harness import binaries
from tests.harness.api import Api
from tests.harness.controlplane import ControlPlane
from tests.harness.tiers import cannot_run

A_CLASS = {
    "apiVersion": "resourceclass.io/v1alpha1",
    "kind": "ResourceClass",
    "metadata": {"name": K80},
    "spec": {"selector": {"matchLabels": {"model": "NVIDIA Tesla K80"}}},
}


@pytest.fixture(scope="session")
def control_plane(request: pytest.FixtureRequest) -> Iterator[ControlPlane]:
    """Not the one of the other tests: here every object that is sent to a webhook is refused."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        try:
            paths = binaries.ensure(lambda text: print(f"\n{text}", file=sys.stderr, flush=True))
        except binaries.BinariesError as error:
            cannot_run(request.config, str(error))
    with ControlPlane(paths) as plane:
        yield plane


@pytest.fixture(scope="session")
def helm(control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    return Helm(control_plane.binaries["helm"], tmp_path_factory.mktemp("helm"))


@pytest.fixture(scope="session")
def objects(helm: Helm) -> list[Json]:
    """What the chart renders from the required values alone. Tests do not change it."""
    return helm.objects()


@pytest.fixture(scope="session")
def installed(control_plane: ControlPlane, helm: Helm) -> Iterator[Api]:
    """A client of the cluster with the chart in it and the webhooks down."""
    with socket.socket() as reserved:
        # Bound but not listening: connections are refused, and nobody else gets the port.
        reserved.bind(("127.0.0.1", 0))
        install(control_plane.api(), helm.objects(), reserved.getsockname()[1], [A_CLASS])
        yield control_plane.api()
