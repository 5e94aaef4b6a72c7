"""Reads the API server's audit log: who called what, and which webhooks it went through."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.waiting import until

Json = dict[str, Any]

# Requests of what admission sees are kept with their bodies, which also makes the API server record the
# patches of webhooks; leases and events of Kubernetes' own components are noise; all else is kept without
# bodies.
POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "nonResourceURLs": ["/healthz*", "/livez*", "/readyz*", "/openapi/*", "/api*"]},
        {"level": "None", "resources": [{"group": "events.k8s.io"}]},
        {
            "level": "None",
            "userGroups": ["system:serviceaccounts:kube-system", "system:nodes"],
            "resources": [{"group": "", "resources": ["events"]}],
        },
        {
            "level": "None",
            "users": ["system:kube-controller-manager", "system:kube-scheduler", "system:apiserver"],
            "resources": [{"group": "", "resources": ["events"]}, {"group": "coordination.k8s.io"}],
        },
        {
            "level": "Request",
            "verbs": ["create", "update", "patch", "delete"],
            "resources": [
                {
                    "group": "",
                    "resources": ["pods", "pods/*", "resourcequotas", "limitranges", "podtemplates"],
                },
                {"group": "apps"},
                {"group": "batch"},
                {"group": "resourceclass.io"},
            ],
        },
        {"level": "Metadata"},
    ],
}


@dataclass(frozen=True)
class AuditLog:
    """The log file of one control plane; the server writes an event before it ends the request."""

    file: Path

    def mark(self) -> int:
        """A place in the log, for `since`."""
        return self.file.stat().st_size if self.file.exists() else 0

    def entries(self, since: int = 0, **wanted: str) -> list[Json]:
        """Returns the events with this `user`, `verb`, `resource`, `subresource`, `namespace`, `name`,
        `code`.

        The user is the one who acted, impersonated or not.
        """
        return [
            event for event in self._events(since) if all(_fact(event, k) == v for k, v in wanted.items())
        ]

    def wait_for(self, since: int = 0, seconds: float = 10.0, **wanted: str) -> list[Json]:
        """Waits until there is an event like the one wanted."""
        return until(lambda: self.entries(since, **wanted), f"an audit event with {wanted}", seconds)

    def _events(self, since: int) -> list[Json]:
        if not self.file.exists():
            return []
        with self.file.open("rb") as log:
            log.seek(since)
            lines = log.read().splitlines(keepends=True)
        complete = (line for line in lines if line.endswith(b"\n"))  # the last one may be half written
        return [json.loads(line) for line in complete]


def called_webhooks(event: Json) -> set[str]:
    """Returns the mutating webhooks that were called for a request; the others leave no trace."""
    found = set()
    for key, value in event.get("annotations", {}).items():
        if key.startswith("mutation.webhook.admission.k8s.io/"):
            found.add(json.loads(value)["webhook"])
    return found


def lacked_rights(event: Json) -> bool:
    """Whether the caller was not known, or had no right to what it asked for.

    A 403 alone does not say so: a namespace that is being deleted takes no new objects either.
    """
    unknown: bool = event["responseStatus"]["code"] == 401
    return unknown or event.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid"


_FACTS: dict[str, Callable[[Json], Any]] = {
    "user": lambda event: (event.get("impersonatedUser") or event["user"])["username"],
    "verb": lambda event: event["verb"],
    "code": lambda event: str(event.get("responseStatus", {}).get("code")),
}


def _fact(event: Json, name: str) -> Any:
    if name in _FACTS:
        return _FACTS[name](event)
    reference: Json = event.get("objectRef") or {}
    return reference.get(name, "")
