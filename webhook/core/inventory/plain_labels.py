"""Sources that say in one label each which model a node has, of what size, and how many.

They are told by the type of machine, not by its driver: Alibaba Cloud in the driver's spelling, Google and
Amazon by short names. What shares or splits devices there is read too, because the labels do not count it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from webhook.core.inventory.cloud_models import driver_name
from webhook.core.inventory.label_claim import (
    NVIDIA,
    Claim,
    Group,
    Refusal,
    number,
    said,
    size,
)
from webhook.core.values.names import NVIDIA_GPU

_VENDORS: Final = {"nvidia": NVIDIA, "amd": "AMD", "intel": "Intel", "habana": "Habana"}
_RAW_RESOURCES: Final = {NVIDIA: NVIDIA_GPU, "AMD": "amd.com/gpu", "Habana": "habana.ai/gaudi"}


@dataclass(frozen=True, slots=True)
class PlainSource:
    """Which labels a source sets. `partition` is one that says that devices are split."""

    name: str
    model: str
    memory: str = ""
    count: str = ""
    vendor: str = ""
    replicas: str = ""
    partition: str = ""
    is_driver_name: bool = False


SOURCES: Final = (
    PlainSource(
        "Alibaba Cloud",
        model="aliyun.accelerator/nvidia_name",
        memory="aliyun.accelerator/nvidia_mem",
        count="aliyun.accelerator/nvidia_count",
        is_driver_name=True,
    ),
    PlainSource(
        "Google Kubernetes Engine",
        model="cloud.google.com/gke-accelerator",
        count="cloud.google.com/gke-accelerator-count",
        replicas="cloud.google.com/gke-max-shared-clients-per-gpu",
        partition="cloud.google.com/gke-gpu-partition-size",
    ),
    PlainSource(
        "EKS Auto Mode",
        model="eks.amazonaws.com/instance-gpu-name",
        memory="eks.amazonaws.com/instance-gpu-memory",
        count="eks.amazonaws.com/instance-gpu-count",
        vendor="eks.amazonaws.com/instance-gpu-manufacturer",
    ),
    PlainSource(
        "Karpenter",
        model="karpenter.k8s.aws/instance-gpu-name",
        memory="karpenter.k8s.aws/instance-gpu-memory",
        count="karpenter.k8s.aws/instance-gpu-count",
        vendor="karpenter.k8s.aws/instance-gpu-manufacturer",
    ),
    PlainSource("Amazon EKS", model="k8s.amazonaws.com/accelerator"),
)


def read(source: PlainSource, labels: Mapping[str, str]) -> Claim | Refusal | None:
    """Return what a source claims of a node; None where it has said nothing."""
    model = said(labels, source.model)
    if model is None or not model.value:
        return None
    partition = said(labels, source.partition)
    if partition and partition.value:
        return Refusal(
            "PartitionUnknown",
            f"{partition}: the devices are split, and no label says into how many; install NVIDIA GPU "
            "feature discovery, or run the node agent there",
        )
    named = labels.get(source.vendor, "nvidia")
    vendor = _VENDORS.get(named.lower(), named)
    memory, count = said(labels, source.memory), said(labels, source.count)
    name = model.value if source.is_driver_name else driver_name(vendor, model.value, size(memory))
    group = Group(name, _RAW_RESOURCES.get(vendor, ""), number(count), memory, properties={"type": "gpu"})
    return Claim(
        source=source.name,
        vendor=vendor,
        model=model,
        groups=(group,),
        is_driver_name=source.is_driver_name,
        memory=memory,
        count=count,
        replicas=number(said(labels, source.replicas)) or 1,
    )
