"""A real API server that knows our kinds, and nothing else of the product."""

from __future__ import annotations

import pytest

from tests.harness import chart
from tests.harness.controlplane import ControlPlane

pytest.register_assert_rewrite("tests.contract.ports", "tests.contract.api_ports")


@pytest.fixture(scope="session")
def plane_with_crds(control_plane: ControlPlane) -> ControlPlane:
    """The control plane with the chart's CustomResourceDefinitions."""
    apply_crds(control_plane)
    return control_plane


def apply_crds(plane: ControlPlane) -> None:
    # No webhook is installed; the chart wants to know who signed its certificate all the same.
    values = {**chart.REQUIRED, "webhook": {"caBundle": plane.pki.ca_file.read_text()}}
    objects = chart.render(plane.binaries["helm"], values)
    chart.apply(plane.api(), [obj for obj in objects if obj["kind"] == "CustomResourceDefinition"])
