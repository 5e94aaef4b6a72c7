"""What is left of a stored pod without our additions, to compare it with what was sent.

The measure is the API server itself: it stores a twin of the pod that asks for a device of somebody else,
with all its own defaults, and the two must be equal but for what is ours.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]

OUR_VARIABLES = ("NVIDIA_VISIBLE_DEVICES", "RESOURCECLASS_DEVICES", "RESOURCECLASS_MEMORY_BYTES")
STAND_IN = "twin.example.com/"
_TOKEN_VOLUME = re.compile(r"kube-api-access-[a-z0-9]{5}")


def twin_of(sent: Json, classes: Iterable[str]) -> Json:
    """The pod as it was sent, under another name and asking for a device that nobody knows."""
    text = json.dumps(sent)
    for name in classes:
        for spelling in (name, f"resourceclass.io/{name}"):
            text = text.replace(json.dumps(spelling), json.dumps(STAND_IN + name))
    twin: Json = json.loads(text)
    twin["metadata"]["name"] = "twin"
    return twin


def without_ours(stored: Json, classes: Iterable[str]) -> Json:
    """The labels, annotations and spec of a stored pod, without what we add to a pod of these classes."""
    text = _TOKEN_VOLUME.sub("kube-api-access", json.dumps(stored))
    for name in classes:
        text = text.replace(json.dumps(f"resourceclass.io/{name}"), json.dumps(STAND_IN + name))
    plain: Json = json.loads(text)
    spec = copy.deepcopy(plain["spec"])
    spec.pop("schedulerName")
    for container in [*spec.get("initContainers", []), *spec["containers"]]:
        container["env"] = [each for each in container.get("env", []) if each["name"] not in OUR_VARIABLES]
    _take_affinity(spec, classes)
    metadata = {part: plain["metadata"].get(part, {}) for part in ("labels", "annotations")}
    return {**metadata, "spec": spec}


def _take_affinity(spec: Json, classes: Iterable[str]) -> None:
    """Removes our expressions, and then what they alone had made: an empty affinity means none."""
    affinity = spec.get("affinity") or {}
    node = affinity.get("nodeAffinity") or {}
    required = node.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    labels = {f"class.resourceclass.io/{name}" for name in classes}
    for term in required.get("nodeSelectorTerms", []):
        kept = [item for item in term.get("matchExpressions", []) if item["key"] not in labels]
        term["matchExpressions"] = kept
        if not kept:
            del term["matchExpressions"]
    if not any(required.get("nodeSelectorTerms", [])):
        node.pop("requiredDuringSchedulingIgnoredDuringExecution", None)
    if not node:
        affinity.pop("nodeAffinity", None)
    if not affinity:
        spec.pop("affinity", None)
