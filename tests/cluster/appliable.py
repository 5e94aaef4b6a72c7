"""Objects that people apply again and again, and the two ways in which kubectl does it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.cluster.expect import key, quota_key
from tests.cluster.workloads import limits_of, workload
from tests.harness.api import Api
from tests.harness.cluster import quota
from tests.harness.kubectl import Kubectl, Ran

Json = dict[str, Any]
Amounts = Mapping[str, Any]

NAME = "applied"


@dataclass(frozen=True)
class Subject:
    """A kind of object that holds amounts of classes."""

    kind: str
    manifest: Callable[[Amounts], Json]
    amounts: Callable[[Json], Json]
    """Reads them from the stored object."""
    key: Callable[[str], str]
    """Of a class name, makes the key under which it is stored."""
    other: Amounts
    """What stands beside the class, in a map that would not be stored empty."""


def _limit_range(amounts: Amounts) -> Json:
    limits = [{"type": "Container", "max": dict(amounts)}]
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": NAME},
        "spec": {"limits": limits},
    }


def _maximum(obj: Json) -> Json:
    """The server fills default and defaultRequest from max: they must not keep what max has lost."""
    (limits,) = obj["spec"]["limits"]
    maximum: Json = limits["max"]
    assert limits["default"] == limits["defaultRequest"] == maximum
    return maximum


def _hard(obj: Json) -> Json:
    hard: Json = obj["spec"]["hard"]
    return hard


SUBJECTS = (
    Subject("Deployment", lambda a: workload("Deployment", NAME, a), limits_of, key, {"cpu": "1"}),
    Subject("CronJob", lambda a: workload("CronJob", NAME, a), limits_of, key, {"cpu": "1"}),
    Subject("ResourceQuota", lambda a: quota(NAME, a), _hard, quota_key, {"pods": "10"}),
    Subject("LimitRange", _limit_range, _maximum, key, {"cpu": "1"}),
)


@dataclass(frozen=True)
class Applier:
    """kubectl apply, on the client's or on the server's side, of one subject in one namespace."""

    kubectl: Kubectl
    api: Api
    namespace: str
    subject: Subject
    server_side: bool

    def apply(self, amounts: Amounts, *more: str) -> Ran:
        """Applies the manifest with these amounts, spelled as they are given. More are flags of kubectl."""
        manifest = json.dumps(self.subject.manifest({**self.subject.other, **amounts}))
        how = self.kubectl.apply_server_side if self.server_side else self.kubectl.apply_client_side
        return how(manifest, self.namespace, *more)

    def stored(self) -> Json:
        return self.api.get(self.subject.kind, NAME, self.namespace).must()

    def amounts(self) -> Json:
        """What is stored of the classes alone."""
        found = dict(self.subject.amounts(self.stored()))
        for name, amount in self.subject.other.items():
            assert found.pop(name) == amount, "what stands beside the class has changed"
        return found

    def live_on(self) -> None:
        """What happens to an object between two applies: labels, scaling, status; each by its own manager."""
        kind, ns = self.subject.kind, self.namespace
        label = {"metadata": {"labels": {"touched": "yes"}}}
        self.api.patch(kind, NAME, label, ns, fieldManager="kubectl-label").must()
        if kind == "Deployment":
            scale = {"spec": {"replicas": 2}}
            self.api.patch(kind, NAME, scale, ns, subresource="scale", fieldManager="scaler").must()
        if kind == "CronJob":
            suspend = {"spec": {"suspend": True}}
            self.api.patch(kind, NAME, suspend, ns, fieldManager="kubectl-patch").must()
        if kind in ("Deployment", "CronJob"):
            status = _STATUS[kind]
            self.api.patch(kind, NAME, {"status": status}, ns, subresource="status").must()


_STATUS: dict[str, Json] = {
    "CronJob": {"lastScheduleTime": "2026-01-01T00:00:00Z"},
    "Deployment": {"collisionCount": 1},
}
