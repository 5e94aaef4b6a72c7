"""A thin client of raw JSON: any kind, no exceptions for refusals, warnings kept."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from tests.harness.discovery import Discovery

Json = dict[str, Any]
JsonPatch = list[Json]
Items = list[Json]

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
TIMEOUT_SECONDS = 40.0  # above the API server's own 34 s for a mutating request with webhooks


@dataclass(frozen=True)
class Answer:
    """What the API server said. For a refusal the body is a Status."""

    code: int
    body: Json
    warnings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return self.code < 300

    @property
    def message(self) -> str:
        return str(self.body.get("message", "")) if not self.ok else ""

    @property
    def reason(self) -> str:
        return str(self.body.get("reason", "")) if not self.ok else ""

    def must(self) -> Json:
        """Returns the body; fails the test when the request was refused."""
        assert self.ok, f"{self.code}: {self.message}"
        return self.body


class Connection:
    """The connections to one API server, shared by all identities."""

    def __init__(self, server: str, ca_file: Path) -> None:
        self.client = httpx.Client(
            base_url=server,
            verify=ssl.create_default_context(cafile=str(ca_file)),
            timeout=TIMEOUT_SECONDS,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
            trust_env=False,  # a proxy of the machine must not stand between us and loopback
        )
        self.discovery = Discovery(self.client)

    def close(self) -> None:
        self.client.close()


@dataclass(frozen=True)
class Api:
    """One identity at one API server. Safe in many threads. Kinds are named `Pod` or `apps/v1/Deployment`."""

    connection: Connection
    token: str
    user: str | None = None
    groups: Sequence[str] = ()

    def impersonate(self, user: str, *groups: str) -> Api:
        """Acts as another user, whom admission and audit see with these groups and system:authenticated."""
        return replace(self, user=user, groups=groups)

    def create(self, obj: Json, namespace: str | None = None, **query: str) -> Answer:
        """Creates obj in its own namespace, else in the given one. Query: dryRun="All", fieldManager=…"""
        path = self._path(_kind(obj), namespace=obj.get("metadata", {}).get("namespace", namespace))
        return self.request("POST", path, obj, query)

    def get(self, kind: str, name: str, namespace: str | None = None, subresource: str = "") -> Answer:
        return self.request("GET", self._path(kind, name, namespace, subresource))

    def list(self, kind: str, namespace: str | None = None, **query: str) -> Answer:
        """Without a namespace: of all namespaces. Query: labelSelector=…, fieldSelector=…"""
        return self.request("GET", self._path(kind, namespace=namespace), query=query)

    def items(self, kind: str, namespace: str | None = None, **query: str) -> Items:
        found: Items = self.list(kind, namespace, **query).must()["items"]
        return found

    def update(self, obj: Json, subresource: str = "", **query: str) -> Answer:
        return self.request("PUT", self._path_of(obj, subresource), obj, query)

    def patch(
        self,
        kind: str,
        name: str,
        patch: Json | JsonPatch,
        namespace: str | None = None,
        *,
        subresource: str = "",
        content_type: str | None = None,
        **query: str,
    ) -> Answer:
        """A list is a JSON patch, a dict a merge patch unless content_type says otherwise."""
        kind_of_patch = content_type or (JSON_PATCH if isinstance(patch, list) else MERGE_PATCH)
        path = self._path(kind, name, namespace, subresource)
        return self.request("PATCH", path, patch, query, {"Content-Type": kind_of_patch})

    def apply(self, obj: Json, manager: str, subresource: str = "", **query: str) -> Answer:
        """Server-side apply as the given field manager. Query: force="true"."""
        headers = {"Content-Type": APPLY_PATCH}
        return self.request(
            "PATCH", self._path_of(obj, subresource), obj, {"fieldManager": manager, **query}, headers
        )

    def delete(self, kind: str, name: str, namespace: str | None = None, **options: Any) -> Answer:
        """Options are the fields of DeleteOptions: gracePeriodSeconds=0, propagationPolicy="Foreground"."""
        return self.request("DELETE", self._path(kind, name, namespace), options or None)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Sends one request to a path of the server; the base of all others."""
        sent = _pairs({**self._identity(), **(headers or {})})
        answer = self.connection.client.request(
            method, path, json=body, params=dict(query or {}), headers=sent
        )
        return Answer(
            answer.status_code, _body(answer), [_warning(each) for each in answer.headers.get_list("Warning")]
        )

    def _path_of(self, obj: Json, subresource: str) -> str:
        metadata = obj["metadata"]
        return self._path(_kind(obj), metadata["name"], metadata.get("namespace"), subresource)

    def _identity(self) -> dict[str, str | Sequence[str]]:
        headers: dict[str, str | Sequence[str]] = {"Authorization": f"Bearer {self.token}"}
        if self.user is not None:
            headers |= {"Impersonate-User": self.user, "Impersonate-Group": self.groups}
        return headers

    def _path(self, kind: str, name: str = "", namespace: str | None = None, subresource: str = "") -> str:
        return self.connection.discovery.path(kind, self.token, name, namespace, subresource)


def _kind(obj: Json) -> str:
    return f"{obj['apiVersion']}/{obj['kind']}"


def _pairs(headers: Mapping[str, str | Sequence[str]]) -> list[tuple[str, str]]:
    return [(k, v) for k, vs in headers.items() for v in ([vs] if isinstance(vs, str) else vs)]


def _body(answer: httpx.Response) -> Json:
    if "json" not in answer.headers.get("Content-Type", ""):
        return {"message": answer.text}
    body: Json = answer.json()
    return body


def _warning(header: str) -> str:
    """Takes the text out of `299 - "text"` (RFC 9111, quoted string)."""
    return header.split(" ", 2)[2].strip('"').replace('\\"', '"').replace("\\\\", "\\")
