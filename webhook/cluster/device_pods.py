"""The pods that may hold devices, told apart by uid."""

from typing import Final

from webhook.cluster.listing import Resource, uid_of
from webhook.cluster.resources import UNFINISHED
from webhook.core.placement.pod_entry import PodEntry, keep_pod

# Of every scheduler: static pods and those that ask for a vendor's resource hold devices too.
DEVICE_PODS: Final[Resource[PodEntry]] = Resource(
    "Pod",
    "/api/v1",
    "pods",
    keep_pod,
    query={"fieldSelector": UNFINISHED},
    key=uid_of,
)
