"""A control plane with the product installed: the chart's objects, and the webhook under its own service
account."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from tests.harness import chart
from tests.harness.api import Api
from tests.harness.cluster import pod, quota
from tests.harness.controlplane import ControlPlane
from tests.harness.processes import StartError
from tests.harness.waiting import until
from tests.harness.webhook import Webhook

Json = dict[str, Any]

DEPLOYMENT = "resourceclass-webhook"
ACCOUNT = "resourceclass-webhook"
REQUESTS = "resourceclass_admission_requests_total"
EFFECT_SECONDS = 30.0
ISSUE_SECONDS = 30.0
PROBE_CLASS = "probe.example"


class Product:
    """Two replicas of the webhook with two processes each, behind one address, in a control plane of their
    own."""

    def __init__(self, plane: ControlPlane, replicas: int = 2) -> None:
        self.plane = plane
        self._replicas = replicas
        self.objects: list[Json] = []
        self._certificates = plane.folder / "webhook-certificates"
        self.webhook: Webhook

    def start(self) -> Self:
        """Installs the chart, starts the webhook, and returns when admission goes through it."""
        self._issue_certificates()
        values = {**chart.REQUIRED, "webhook": {"caBundle": self.ca_file.read_text()}}
        rendered = chart.render(self.plane.binaries["helm"], values)
        admission = [obj for obj in rendered if obj["kind"] in chart.CONFIGURATIONS]
        api = self.plane.api()
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": chart.NAMESPACE}}).must()
        chart.apply(api, [obj for obj in rendered if obj not in admission])
        self.webhook = Webhook(self.plane.folder, self._arguments(rendered), self._replicas)
        try:
            self.webhook.start()
            self.objects = chart.with_url(rendered, self.webhook.url)
            chart.apply(api, [obj for obj in self.objects if obj["kind"] in chart.CONFIGURATIONS])
            until(self._in_effect, "requests go through the policy and both configurations", EFFECT_SECONDS)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        self.webhook.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def ca_file(self) -> Path:
        """The CA that signed the certificate of the webhook."""
        return self._certificates / "ca.crt"

    @contextmanager
    def webhook_stopped(self) -> Iterator[None]:
        """Stops all replicas for a while. The configurations stay, so what they match is refused."""
        self.webhook.stop()
        try:
            yield
        finally:
            self.webhook.start()

    def _issue_certificates(self) -> None:
        """By the product's own command, as a user does; the API server then judges the result."""
        names = [f"--dns-name={DEPLOYMENT}.{chart.NAMESPACE}.svc", "--ip=127.0.0.1"]
        command = [sys.executable, "-m", "webhook", "certs", "issue", f"--out={self._certificates}", *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ISSUE_SECONDS)
        if done.returncode != 0:
            raise StartError(f"resourceclass certs issue ended with code {done.returncode}: {done.stderr}")

    def _arguments(self, rendered: list[Json]) -> list[str]:
        """The arguments of the chart's Deployment, and after them what differs here: the later one wins."""
        token = self.plane.service_account_token(chart.NAMESPACE, ACCOUNT)
        pair = [f"--tls-cert={self._certificates}/tls.crt", f"--tls-key={self._certificates}/tls.key"]
        kubeconfig = f"--kubeconfig={self.plane.kubeconfig(token)}"
        return [*chart.container_arguments(rendered, DEPLOYMENT), kubeconfig, *pair]

    def _in_effect(self) -> bool:
        """The API server learns of configurations by watching them, and says nowhere that it has.

        ResourceQuotas pass through the mutating configuration alone, ResourceClasses through the validating
        one alone: the webhook's own counters tell that both are called. All probes are dry runs.
        """
        api = self.plane.api()
        called = {
            kind: self.webhook.metric(REQUESTS, kind=kind) for kind in ("ResourceQuota", "ResourceClass")
        }
        forged = api.create(_forged_pod(), "default", dryRun="All")
        api.create(quota("probe", {f"limits.resourceclass.io/{PROBE_CLASS}": "1"}), "default", dryRun="All")
        api.create(resource_class(PROBE_CLASS, {"model": "Probe"}), dryRun="All")
        grown = all(self.webhook.metric(REQUESTS, kind=kind) > before for kind, before in called.items())
        return grown and "ValidatingAdmissionPolicy" in forged.message


def resource_class(name: str, match_labels: Json | None = None, **spec: Any) -> Json:
    """A ResourceClass of devices with these properties; spec adds or replaces fields."""
    return {
        "apiVersion": "resourceclass.io/v1alpha1",
        "kind": "ResourceClass",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": match_labels or {"model": name}}, **spec},
    }


@contextmanager
def fresh_class(api: Api, name: str, match_labels: Json | None = None, **spec: Any) -> Iterator[str]:
    """Makes a ResourceClass for the time of a test."""
    api.create(resource_class(name, match_labels, **spec)).must()
    try:
        yield name
    finally:
        api.delete("ResourceClass", name)


def _forged_pod() -> Json:
    forged = pod("probe")
    forged["metadata"]["annotations"] = {"resourceclass.io/allocation": "{}"}
    return forged
