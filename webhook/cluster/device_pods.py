"""The pods that may hold devices, told apart by uid."""

from typing import Final

from webhook.cluster.listing import Resource, uid_of
from webhook.core.placement.pod_entry import PodEntry, keep_pod
from webhook.core.values.usage import FINISHED

# Of every scheduler: static pods and those that ask for a vendor's resource hold devices too.
DEVICE_PODS: Final[Resource[PodEntry]] = Resource(
    "Pod",
    "/api/v1",
    "pods",
    keep_pod,
    query={"fieldSelector": ",".join(f"status.phase!={phase}" for phase in FINISHED)},
    key=uid_of,
)
