"""What the tests of this room mean by mutated, denied and room.

The product's names are spelled out here and not imported: they are an interface.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.cluster.as_sent import twin_of, without_ours
from tests.harness.api import Answer, Api
from tests.harness.cluster import pod
from tests.harness.waiting import until

Json = dict[str, Any]

K80 = "nvidia.tesla.k80"
P100 = "nvidia.tesla.p100"
HIGH_MEM = "nvidia.high.mem"
STANDARD = ("cpu", "memory", "ephemeral-storage", "pods")
SCHEDULER = "resourceclass-scheduler"
OURS = 'admission webhook "'

_EXCEEDED = re.compile(
    r"exceeded quota: (?P<quota>\S+), requested: (?P<requested>\S+), "
    r"used: (?P<used>\S+), limited: (?P<limited>[^\s;]+)"
)


def key(class_name: str) -> str:
    """The key under which a container asks for a class, as stored."""
    return f"resourceclass.io/{class_name}"


def quota_key(class_name: str) -> str:
    return f"requests.resourceclass.io/{class_name}"


def asking(name: str, amount: Any = 1, class_name: str = K80, **spec: Any) -> Json:
    """A pod of one container `main` that asks for a class by its stored key."""
    return pod(name, {key(class_name): amount}, **spec)


def class_terms(stored: Json, class_name: str) -> list[list[str]]:
    """Per required node selector term: the values of each expression on the label of the class."""
    affinity = stored["spec"].get("affinity", {}).get("nodeAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    label = f"class.resourceclass.io/{class_name}"
    expressions = [term.get("matchExpressions", []) for term in required.get("nodeSelectorTerms", [])]
    return [
        [value for item in term if item["key"] == label for value in item["values"]] for term in expressions
    ]


def assert_mutated(stored: Json, units: Mapping[str, int] | None = None) -> None:
    """The stored pod is one that our scheduler can place: K80 once, unless units say otherwise."""
    assert stored["spec"]["schedulerName"] == SCHEDULER
    for class_name, amount in (units or {K80: 1}).items():
        terms = class_terms(stored, class_name)
        assert terms, f"no required node affinity for {class_name}"
        assert terms == [[str(amount - 1)]] * len(terms)
        assert _asks(stored, class_name), f"no container asks for {class_name}"
    assert not bare_keys(stored)


def assert_untouched(stored: Json) -> None:
    """Nothing in the stored pod is ours."""
    assert stored["spec"]["schedulerName"] == "default-scheduler"
    assert "affinity" not in stored["spec"]
    assert "class.resourceclass.io" not in json.dumps(stored)
    assert "NVIDIA_VISIBLE_DEVICES" not in json.dumps(stored)


def assert_as_sent(api: Api, stored: Json, sent: Json, classes: Iterable[str] = (K80,)) -> None:
    """But for what is ours, the pod is stored as the server stores one that asks for a foreign device."""
    twin = api.create(twin_of(sent, classes), stored["metadata"]["namespace"], dryRun="All").must()
    assert without_ours(stored, classes) == without_ours(twin, classes)


def assert_denied(
    answer: Answer,
    requested: int,
    used: int,
    limited: int,
    *,
    quota: str = "q",
    class_name: str = K80,
    ours: bool = True,
) -> None:
    """A 403 in the words of the API server, by us unless said otherwise."""
    assert (answer.code, answer.reason) == (403, "Forbidden"), f"{answer.code} {answer.message}"
    assert (OURS in answer.message) is ours, answer.message
    found = exceeded(answer.message)
    assert (quota, class_name) in found, answer.message
    assert found[quota, class_name] == (requested, used, limited), answer.message


def exceeded(message: str) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Reads a refusal: by quota and class, what was requested, used and limited."""
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    for match in _EXCEEDED.finditer(message):
        columns = [_amounts(match[name]) for name in ("requested", "used", "limited")]
        for class_name in columns[0]:
            requested, used, limited = (column[class_name] for column in columns)
            found[match["quota"], class_name] = (requested, used, limited)
    return found


def room(api: Api, namespace: str, class_name: str = K80, most: int = 12) -> int:
    """How many units a dry run may still ask for; -1 when that is more than `most`."""
    for amount in range(most + 1):
        if not api.create(asking("room", amount + 1, class_name), namespace, dryRun="All").ok:
            return amount
    return -1


def assert_room(api: Api, namespace: str, units: int, class_name: str = K80) -> None:
    """A dry run for `units` is admitted, and one for a unit more is refused for the quota."""
    if units:
        api.create(asking("room", units, class_name), namespace, dryRun="All").must()
    refused = api.create(asking("room", units + 1, class_name), namespace, dryRun="All")
    assert (refused.code, refused.reason) == (403, "Forbidden"), refused.message
    assert any(found == class_name for _, found in exceeded(refused.message)), refused.message


def wait_for_room(api: Api, namespace: str, units: int, class_name: str = K80, seconds: float = 10) -> None:
    """Room comes back once the controller manager has counted anew."""
    until(lambda: room(api, namespace, class_name) == units, f"room for {units} {class_name}", seconds)
    assert_room(api, namespace, units, class_name)


def bare_keys(obj: Any) -> set[str]:
    """All keys in maps of amounts, anywhere in the object, that are neither Kubernetes' own nor qualified."""
    found = set()
    for name, amounts in _amount_maps(obj):
        if name in ("limits", "requests", "hard", "default", "defaultRequest", "max", "min"):
            found |= {each for each in amounts if "/" not in each and each not in STANDARD}
    return found


def _amount_maps(obj: Any) -> Iterable[tuple[str, Json]]:
    if isinstance(obj, dict):
        for name, value in obj.items():
            if isinstance(value, dict) and not any(isinstance(each, dict | list) for each in value.values()):
                yield name, value
            if name not in ("managedFields", "annotations"):
                yield from _amount_maps(value)
    elif isinstance(obj, list):
        for item in obj:
            yield from _amount_maps(item)


def _asks(stored: Json, class_name: str) -> bool:
    """Whether a container has the class under its stored key, in limits and requests alike."""
    spec = stored["spec"]
    asking_containers = 0
    for container in [*spec.get("initContainers", []), *spec["containers"]]:
        resources = container.get("resources", {})
        amounts = [resources.get(part, {}).get(key(class_name)) for part in ("limits", "requests")]
        assert amounts[0] == amounts[1], f"limits and requests of {container['name']} differ: {amounts}"
        asking_containers += amounts[0] is not None
    return asking_containers > 0


def _amounts(text: str) -> dict[str, int]:
    """Reads `requests.resourceclass.io/a=1,requests.resourceclass.io/b=2`, classes of ours alone."""
    pairs = (pair.rsplit("=", 1) for pair in text.rstrip(",").split(","))
    return {name.removeprefix(quota_key("")): whole(value) for name, value in pairs if quota_key("") in name}


def whole(text: str) -> int:
    """The number behind a spelling that a server prints for whole amounts: 5, 1k, 2E, 1e30, 1Ki."""
    suffixes = {
        "": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
        "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
    }  # fmt: skip
    match = re.fullmatch(r"\+?(\d+)(?:[eE]\+?(\d+)|([a-zA-Z]*))", text)
    assert match is not None, f"{text!r} is no whole amount"
    return int(match[1]) * (10 ** int(match[2]) if match[2] else suffixes[match[3] or ""])
