"""What helm makes of the chart, with values written like the ones of --set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness import chart

Json = dict[str, Any]

MUTATING, VALIDATING = chart.CONFIGURATIONS
CA = "-----BEGIN CERTIFICATE-----\nbWFkZSBmb3IgYSB0ZXN0\n-----END CERTIFICATE-----\n"
REQUIRED = {"tls.secretName": "some-secret", "webhook.caBundle": CA}


@dataclass(frozen=True)
class Helm:
    """`helm template` of the chart."""

    binary: Path

    def objects(self, values: Mapping[str, Any] | None = None) -> list[Json]:
        """The rendered objects; the dotted `values` are added to the required ones. Raises ChartError."""
        return self.render({**REQUIRED, **(values or {})})

    def render(self, values: Mapping[str, Any], *options: str) -> list[Json]:
        """The objects that helm renders from these values alone."""
        return chart.render(self.binary, _nested(values), *options)


def _nested(dotted: Mapping[str, Any]) -> Json:
    root: Json = {}
    for name, value in dotted.items():
        *parents, last = name.split(".")
        place = root
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return root


def only(objects: list[Json], kind: str, name: str | None = None) -> Json:
    """The one object of a kind (and name)."""
    found = [o for o in objects if o["kind"] == kind and name in (None, o["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} objects of kind {kind} named {name}"
    return found[0]


def entries(objects: list[Json]) -> list[Json]:
    """The entries of both webhook configurations."""
    return [hook for kind in (MUTATING, VALIDATING) for hook in only(objects, kind)["webhooks"]]


def entry(configuration: Json, what: str) -> Json:
    """The entry `<what>.resourceclass.io` of a webhook configuration."""
    found: Json = next(e for e in configuration["webhooks"] if e["name"] == f"{what}.resourceclass.io")
    return found
