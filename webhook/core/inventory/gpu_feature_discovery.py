"""The labels of NVIDIA's GPU feature discovery, which asks the driver of the node.

    nvidia.com/gpu.product, .memory (MiB), .count, .replicas, .family, .compute.major/.minor
    nvidia.com/mig-<profile>.product, .memory, .count, .replicas          MIG strategy "mixed"

Sharing adds `-SHARED` to the product, and `replicas` says how often each device is counted; the count stays
that of the devices. With the MIG strategy "single" the product is `<model>-MIG-<profile>` and the count that
of MIG devices. On a node of several models the labels describe one of them (internal/lm/resource.go and
mig-strategy.go of NVIDIA/k8s-device-plugin).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from webhook.core.inventory.label_claim import (
    AGENT,
    NVIDIA,
    Claim,
    Group,
    Refusal,
    Said,
    capacity,
    number,
    said,
)
from webhook.core.values.names import NVIDIA_GPU, Json

SOURCE: Final = "NVIDIA GPU feature discovery"

_PRODUCT: Final = f"{NVIDIA_GPU}.product"
_COUNT: Final = f"{NVIDIA_GPU}.count"
_REPLICAS: Final = f"{NVIDIA_GPU}.replicas"
_SHARED_RESOURCE: Final = f"{NVIDIA_GPU}.shared"
_MIG_COUNT: Final = re.compile(r"nvidia\.com/mig-([0-9][0-9a-z.+]*)\.count")
_MIG_PRODUCT: Final = re.compile(r"(?P<model>.+)-MIG-(?P<profile>[0-9A-Za-z.+]+)")
_INVALID: Final = "INVALID"


def read(node: Json, labels: Mapping[str, str]) -> Claim | Refusal | None:
    """Return what GPU feature discovery claims of a node; None where it has said nothing."""
    migs = tuple(_mig_groups(labels))
    product = said(labels, _PRODUCT)
    if not (product and product.value) and not migs:
        count = said(labels, _COUNT)
        if not number(count):
            return None
        return Refusal("ModelUnknown", f"{count}, but {_PRODUCT} is missing; {AGENT}")
    if migs:
        return _mixed_strategy(node, labels, migs)
    return _whole(node, labels, product) if product else None


def _whole(node: Json, labels: Mapping[str, str], product: Said) -> Claim | Refusal:
    model = product.value.removesuffix("-SHARED")
    mig = _MIG_PRODUCT.fullmatch(model)
    replicas = number(said(labels, _REPLICAS))
    if mig and mig["profile"] == _INVALID:
        return Refusal(
            "MigInvalid",
            f"{product}: the devices are not partitioned alike, as the MIG strategy single needs it; "
            f"partition them alike, use the strategy mixed, or {AGENT}",
        )
    if replicas == 0:
        return Refusal(
            "MigUnknown",
            f"{_REPLICAS}=0: MIG is enabled and no label says how the devices are partitioned; use the MIG "
            f"strategy single or mixed, or {AGENT}",
        )
    is_renamed = capacity(node, _SHARED_RESOURCE) is not None
    memory = said(labels, f"{NVIDIA_GPU}.memory")
    group = Group(
        model=model,
        raw_resource=_SHARED_RESOURCE if is_renamed else NVIDIA_GPU,
        count=number(said(labels, _COUNT)),
        memory=memory,
        id_prefix=f"mig-{mig['profile']}-".lower() if mig else "",
        properties=_properties(labels) | (_mig_properties(mig["profile"]) if mig else {}),
    )
    return Claim(
        source=SOURCE,
        vendor=NVIDIA,
        model=Said(_PRODUCT, mig["model"] if mig else model),
        groups=(group,),
        memory=None if mig else memory,
        count=None if mig else said(labels, _COUNT),
        replicas=replicas or 1,
    )


def _mixed_strategy(node: Json, labels: Mapping[str, str], migs: tuple[Group, ...]) -> Claim:
    """MIG devices alone: beside them, no label says which indexes the whole devices have."""
    whole = capacity(node, NVIDIA_GPU)
    model = _MIG_PRODUCT.fullmatch(migs[0].model)
    return Claim(
        source=SOURCE,
        vendor=NVIDIA,
        model=Said(_PRODUCT, labels.get(_PRODUCT) or (model["model"] if model else migs[0].model)),
        groups=migs,
        warnings=(_beside_whole(whole),) if whole else (),
    )


def _beside_whole(count: int) -> str:
    return (
        f"{NVIDIA_GPU}={count} in the capacity, beside MIG devices: no label says which devices are whole, "
        f"so only the MIG devices are offered; {AGENT}"
    )


def _mig_groups(labels: Mapping[str, str]) -> Iterator[Group]:
    for key in sorted(labels):
        match = _MIG_COUNT.fullmatch(key)
        count = number(said(labels, key))
        if match is None or not count:
            continue
        resource = key.removesuffix(".count")
        profile = match[1]
        product = labels.get(f"{resource}.product", "").removesuffix("-SHARED")
        model = product or f"{labels.get(_PRODUCT, 'GPU')}-MIG-{profile}"
        yield Group(
            model=model,
            raw_resource=resource,
            count=count,
            memory=said(labels, f"{resource}.memory"),
            id_prefix=f"mig-{profile}-".lower(),
            properties=_properties(labels) | _mig_properties(profile),
        )


def _mig_properties(profile: str) -> dict[str, str]:
    return {"type": "mig", "profile": profile.replace(".me", "+me")}


def _properties(labels: Mapping[str, str]) -> dict[str, str]:
    major, minor = labels.get(f"{NVIDIA_GPU}.compute.major"), labels.get(f"{NVIDIA_GPU}.compute.minor")
    found = {
        "type": "vgpu" if labels.get("nvidia.com/vgpu.present") == "true" else "gpu",
        "architecture": labels.get(f"{NVIDIA_GPU}.family"),
        "computeCapability": f"{major}.{minor}" if major and minor else None,
        "driver": labels.get("nvidia.com/cuda.driver-version.full") or _old_driver(labels),
    }
    return {key: value for key, value in found.items() if value}


def _old_driver(labels: Mapping[str, str]) -> str:
    parts = [labels.get(f"nvidia.com/cuda.driver.{part}", "") for part in ("major", "minor", "rev")]
    return ".".join(part for part in parts if part)
