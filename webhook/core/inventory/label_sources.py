"""The devices of a node, from its labels alone.

Several sources may label one node. The first of this order that says something is believed, as a whole; the
others are held against it:

1. NVIDIA GPU feature discovery, which asks the driver
2. Alibaba Cloud
3. Google Kubernetes Engine
4. EKS Auto Mode
5. Karpenter
6. Amazon EKS, as its cluster autoscaler needs it

Labels speak of a node, not of a device. Where it may hold devices of several models they are refused: a pod
would get another device than it asked for (NVIDIA/gpu-feature-discovery#27, NVIDIA/k8s-device-plugin#731).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from webhook.core.inventory import gpu_feature_discovery, plain_labels
from webhook.core.inventory.cloud_models import same_chip
from webhook.core.inventory.label_claim import (
    AGENT,
    MAX_DEVICES,
    Claim,
    Group,
    Refusal,
    Said,
    capacity,
    number,
    size,
)
from webhook.core.raw import at
from webhook.core.values.model import normalise_model
from webhook.core.values.names import Json

# A Tesla T4 has 15109, 15360 or 16384 MiB, depending on who is asked.
MEMORY_TOLERANCE_PERCENT: Final = 10

# Labels that are read; of a node nothing else is needed but its name, uid and capacity.
LABEL_PREFIXES: Final = (
    "nvidia.com/", "aliyun.accelerator/", "cloud.google.com/gke-", "eks.amazonaws.com/instance-gpu-",
    "karpenter.k8s.aws/instance-gpu-", "k8s.amazonaws.com/accelerator", "kubernetes.azure.com/accelerator",
    "accelerator",
)  # fmt: skip

# Azure says that there is a device, but not which: "GPU node pools on AKS".
_WITHOUT_MODEL: Final = (
    Said("kubernetes.azure.com/accelerator", "nvidia"),
    Said("accelerator", "nvidia"),
)


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """One device as labels describe it: a number for an id, since they know no UUID."""

    device_id: str
    raw_resource: str
    properties: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True)
class LabelDevices:
    """What the labels of a node say. Without `source` they say nothing of devices."""

    source: str = ""
    devices: tuple[DeviceSpec, ...] = ()
    warnings: tuple[str, ...] = ()
    refusal: Refusal | None = None


def label_devices(node: Json) -> LabelDevices:
    """Return the devices of a node that its labels describe, or why they are not believed."""
    labels = {key: value for key, value in at(node, "metadata", "labels").items() if isinstance(value, str)}
    found = tuple(_claims(node, labels))
    if not found:
        return _without_model(labels)
    first, *others = found
    if isinstance(first, Refusal):
        return LabelDevices(refusal=first)
    claims = [other for other in others if isinstance(other, Claim)]
    refusal = _refusal(node, first, claims)
    if refusal:
        return LabelDevices(first.source, refusal=refusal)
    warnings = [*first.warnings, *_contradictions(first, claims)]
    devices = tuple(_devices(node, first, warnings))
    return LabelDevices(first.source, devices, tuple(dict.fromkeys(warnings)))


def _claims(node: Json, labels: Mapping[str, str]) -> Iterator[Claim | Refusal]:
    discovered = gpu_feature_discovery.read(node, labels)
    if discovered:
        yield discovered
    for source in plain_labels.SOURCES:
        claim = plain_labels.read(source, labels)
        if claim:
            yield claim


def _without_model(labels: Mapping[str, str]) -> LabelDevices:
    present = [item for item in _WITHOUT_MODEL if labels.get(item.label) == item.value]
    if not present:
        return LabelDevices()
    message = f"{present[0]} does not say of which model; install NVIDIA GPU feature discovery, or {AGENT}"
    return LabelDevices(refusal=Refusal("ModelUnknown", message))


def _refusal(node: Json, first: Claim, others: Sequence[Claim]) -> Refusal | None:
    """Say why the node may hold devices of several models, or more than any node has."""
    total = sum(_count(node, group) for group in first.groups)
    several = total > 1 or any((number(claim.count) or 0) > 1 for claim in others)
    contradicting = next((other for other in others if not _same_model(first, other)), None)
    if several and contradicting:
        return Refusal(
            "MixedDevices",
            f"{first.model} and {contradicting.model}: the node may hold devices of several models; {AGENT}",
        )
    if total > MAX_DEVICES:
        return Refusal(
            "TooManyDevices",
            f"{total} devices are more than {MAX_DEVICES}; correct {first.count or first.source}",
        )
    return next((text for group in first.groups if (text := _too_few(node, first, group))), None)


def _too_few(node: Json, claim: Claim, group: Group) -> Refusal | None:
    """GPU feature discovery counts the devices of one model, a vendor's plugin all that there are."""
    counted = capacity(node, group.raw_resource)
    if counted is None or group.count is None or counted <= group.count * claim.replicas:
        return None
    times = f", {claim.replicas} times each" if claim.replicas > 1 else ""
    return Refusal(
        "MixedDevices",
        f"the node's capacity has {group.raw_resource}={counted}, and its labels know {group.count} of "
        f"{group.model}{times}: it may hold devices of several models, or something multiplies the resource; "
        f"{AGENT}",
    )


def _contradictions(first: Claim, others: Sequence[Claim]) -> Iterator[str]:
    for other in others:
        if not _same_model(first, other):
            yield _contradiction(first, first.model, other.model)
        if first.memory and other.memory and _far_apart(size(first.memory), size(other.memory)):
            yield _contradiction(first, first.memory, other.memory)
        if first.count and other.count and number(first.count) != number(other.count):
            yield _contradiction(first, first.count, other.count)


def _contradiction(first: Claim, one: Said, other: Said) -> str:
    return f"{one} and {other} contradict each other; {first.source} is believed"


def _same_model(one: Claim, other: Claim) -> bool:
    if one.is_driver_name and other.is_driver_name:
        return normalise_model(one.model.value) == normalise_model(other.model.value)
    short, full = (other, one) if one.is_driver_name else (one, other)
    return same_chip(short.model.value, full.model.value)


def _far_apart(one: int | None, other: int | None) -> bool:
    if one is None or other is None:
        return False
    return abs(one - other) * 100 > max(one, other) * MEMORY_TOLERANCE_PERCENT


def _count(node: Json, group: Group) -> int:
    if group.count is not None:
        return group.count
    known = capacity(node, group.raw_resource)
    return 1 if known is None else known


def _devices(node: Json, claim: Claim, warnings: list[str]) -> Iterator[DeviceSpec]:
    for group in claim.groups:
        if claim.count and group.count is None:
            warnings.append(f"{claim.count} is no number of devices")
        if group.memory and size(group.memory) is None:
            warnings.append(f"{group.memory} is no size of memory; the devices count as of unknown size")
        for index in range(_count(node, group)):
            yield DeviceSpec(
                f"{group.id_prefix}{index}", group.raw_resource, _properties(claim, group, index)
            )


def _properties(claim: Claim, group: Group, index: int) -> dict[str, str]:
    found = {"vendor": claim.vendor, "model": group.model, **group.properties}
    if size(group.memory) is not None and group.memory:
        found["memory"] = group.memory.value
    if not group.id_prefix:
        found["index"] = str(index)
    return found
