"""The product's chart: rendered by the real helm, pointed at a local webhook, applied in a sound order."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.harness.api import Api
from tests.harness.waiting import until

Json = dict[str, Any]

CHART = Path(__file__).parents[2] / "charts" / "resourceclass"
NAMESPACE = "resourceclass-system"
RELEASE = "resourceclass"
HELM_SECONDS = 60.0
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
# What the chart asks for before it renders; a test that wants other values adds them.
REQUIRED = {"tls": {"secretName": "resourceclass-webhook-tls"}}


class ChartError(Exception):
    """helm could not render the chart; the text is helm's own."""


def render(helm: Path, values: Mapping[str, Any], *more: str, chart: Path = CHART) -> list[Json]:
    """Returns the objects of `helm template` with the values, in helm's order. Raises ChartError."""
    command = [str(helm), "template", RELEASE, str(chart), "--namespace", NAMESPACE, "--values", "-", *more]
    done = subprocess.run(
        command,
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
        timeout=HELM_SECONDS,
        env={"HOME": "/nonexistent"},  # no plugins and no settings of the person who runs the tests
    )
    if done.returncode != 0:
        raise ChartError(done.stderr.strip())
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def with_url(objects: Iterable[Json], url: str) -> list[Json]:
    """Returns the objects with each Service address in a webhook configuration replaced by url and the same
    path."""
    changed = copy.deepcopy(list(objects))
    for obj in changed:
        if obj["kind"] in CONFIGURATIONS:
            for entry in obj["webhooks"]:
                client = entry["clientConfig"]
                client["url"] = url + client.pop("service")["path"]
    return changed


def container_arguments(objects: Iterable[Json], deployment: str) -> list[str]:
    """Returns the arguments that the chart gives to the first container of a Deployment."""
    (found,) = (o for o in objects if o["kind"] == "Deployment" and o["metadata"]["name"] == deployment)
    arguments: list[str] = found["spec"]["template"]["spec"]["containers"][0]["args"]
    return arguments


def apply(api: Api, objects: Iterable[Json]) -> None:
    """Applies the objects as helm would, CRDs first; returns when the CRDs are established."""
    ordered = sorted(objects, key=lambda obj: obj["kind"] != "CustomResourceDefinition")
    for obj in ordered:
        api.apply(obj, "helm", force="true").must()
        if obj["kind"] == "CustomResourceDefinition":
            _wait_established(api, obj["metadata"]["name"])


def _wait_established(api: Api, name: str) -> None:
    def established() -> bool:
        status = api.get("CustomResourceDefinition", name).must().get("status", {})
        conditions = status.get("conditions") or []  # null at first
        return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)

    until(established, f"CRD {name} is established")
