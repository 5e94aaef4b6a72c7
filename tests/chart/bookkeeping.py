"""What kubectl and the API server note of a manifest, as it is after our mutation of the object."""

from __future__ import annotations

import json
from functools import reduce

from tests.chart.samples import K80, Json
from tests.chart.templated import POD_SPEC

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def stored_by_kubectl(obj: Json, manifest: Json) -> Json:
    """The object as it is after `kubectl apply` of a manifest and our mutation."""
    obj["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(manifest) + "\n"}
    return obj


def stored_by_apply(obj: Json, path: tuple[str, ...], manager: str = "kubectl", how: str = "Apply") -> Json:
    """The object as it is after a server-side apply by a manager that owns the field, and our mutation."""
    owned: Json = reduce(
        lambda inner, part: {f"f:{part}" if part[:2] != "k:" else part: inner}, path[::-1], {}
    )
    entry = {"manager": manager, "operation": how, "apiVersion": obj["apiVersion"], "fieldsType": "FieldsV1"}
    obj["metadata"]["managedFields"] = [{**entry, "fieldsV1": owned}]
    return obj


def container_field(
    kind: str, part: str = "limits", key: str = K80, which: str = "containers"
) -> tuple[str, ...]:
    path = ("spec",) if kind == "Pod" else POD_SPEC[kind]
    return (*path, which, 'k:{"name":"main"}', "resources", part, key)
