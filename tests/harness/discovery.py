"""From a kind to its path, as the API server itself tells it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import httpx

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@dataclass(frozen=True)
class Resource:
    """Where a kind lives: `apps/v1`, `deployments`, namespaced or not."""

    group_version: str
    plural: str
    namespaced: bool

    @property
    def root(self) -> str:
        return (
            f"/api/{self.group_version}" if "/" not in self.group_version else f"/apis/{self.group_version}"
        )


class Discovery:
    """Knows all kinds; asks again when a kind is unknown, for a CRD may have come."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client
        self._known: dict[str, Resource] = {}
        self._lock = threading.Lock()

    def path(self, kind: str, token: str, name: str, namespace: str | None, subresource: str) -> str:
        """Builds the path of a collection, object or subresource. Kind is `Pod` or `apps/v1/Deployment`."""
        resource = self._resource(kind, token)
        within = f"namespaces/{namespace}" if resource.namespaced and namespace else ""
        parts = (resource.root, within, resource.plural, name, subresource)
        return "/".join(part for part in parts if part)

    def _resource(self, kind: str, token: str) -> Resource:
        with self._lock:
            if kind not in self._known:
                self._known = self._ask(token)
            if kind not in self._known:
                raise LookupError(f"the API server has no kind {kind}: is its CRD established?")
            return self._known[kind]

    def _ask(self, token: str) -> dict[str, Resource]:
        """The first version that has a kind owns its short name: core before groups, preferred before
        older."""
        known: dict[str, Resource] = {}
        for root in ("/api", "/apis"):
            headers = {"Accept": AGGREGATED, "Authorization": f"Bearer {token}"}
            for group in self._client.get(root, headers=headers).raise_for_status().json()["items"]:
                prefix = f"{group['metadata']['name']}/" if group["metadata"].get("name") else ""
                for version in group["versions"]:
                    _add(known, prefix + version["version"], version.get("resources", []))
        return known


def _add(known: dict[str, Resource], group_version: str, resources: list[dict[str, Any]]) -> None:
    for each in resources:
        resource = Resource(group_version, each["resource"], each["scope"] == "Namespaced")
        kind = each["responseKind"]["kind"]
        known[f"{group_version}/{kind}"] = resource
        known.setdefault(kind, resource)
