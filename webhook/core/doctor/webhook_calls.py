"""Webhook entries by which the API server cannot reach us: no CA, a wrong path, nobody behind the Service.

Reads: the two webhook configurations, and EndpointSlices.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.entries import Entry, entries, expected_of
from webhook.core.doctor.facts import Facts, namespace_of
from webhook.core.doctor.finding import Finding, error
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values.names import Json

UNREACHABLE: Final = "WebhookUnreachable"
NO_ENDPOINTS: Final = "WebhookWithoutEndpoints"
SERVICE_LABEL: Final = "kubernetes.io/service-name"


def webhook_calls(facts: Facts) -> Iterator[Finding]:
    """Find entries whose calls must fail."""
    for entry in entries(facts):
        wanted = expected_of(entry)
        if wanted is not None and entry.path != wanted.path:
            text = f"it calls {entry.path or '/'}, and its requests are answered at {wanted.path}"
            yield error(UNREACHABLE, entry.place, text, "helm upgrade writes the path as the chart has it")
        if entry.service and not at(entry.raw, "clientConfig").get("caBundle"):
            text = "caBundle is empty: the API server trusts no certificate of a Service without it"
            yield error(
                UNREACHABLE, entry.place, text, "set webhook.caBundle of the chart (docs/certificates.md)"
            )


def webhook_endpoints(facts: Facts) -> Iterator[Finding]:
    """Find Services of ours behind which nobody is ready."""
    for namespace, name in sorted({_service(entry) for entry in entries(facts) if entry.service}):
        slices = [
            item
            for item in facts.of("EndpointSlice")
            if namespace_of(item) == namespace and at(item, "metadata", "labels").get(SERVICE_LABEL) == name
        ]
        if not any(map(_is_ready, slices)):
            text = "no endpoint is ready: calls of the webhook fail, and class pods are refused"
            remedy = "see why the pods of the Deployment are not ready (kubectl describe), and its selector"
            yield error(NO_ENDPOINTS, f"Service {namespace}/{name}", text, remedy)


def _service(entry: Entry) -> tuple[str, str]:
    return as_text(entry.service.get("namespace")), as_text(entry.service.get("name"))


def _is_ready(item: Json) -> bool:
    """Whether a slice has an address that is ready; who does not say so is, as Kubernetes reads it."""
    endpoints = map(as_mapping, as_list(item.get("endpoints")))
    return any(at(endpoint, "conditions").get("ready") is not False for endpoint in endpoints)
