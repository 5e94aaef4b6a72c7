"""What a review is about, as far as the rules are concerned."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from webhook.core.raw import at
from webhook.core.values.names import GROUP, MIRROR_ANNOTATION, NODES_GROUP
from webhook.wire.review import Request


class Subject(Enum):
    """The kinds of question that there are rules for, and OTHER for all the rest."""

    POD = auto()
    POD_UPDATE = auto()
    EPHEMERAL_CONTAINERS = auto()
    TEMPLATE = auto()
    QUOTA = auto()
    LIMIT_RANGE = auto()
    CLASS = auto()
    CLASS_DELETE = auto()
    OTHER = auto()


# By API group, kind and subresource. A kind of the same name in another group (Job of batch.volcano.sh)
# is another kind; a subresource that is not listed (status, scale, resize, binding) changes nothing of ours.
_WRITTEN: Final[Mapping[tuple[str, str, str], Subject]] = {
    ("", "Pod", "ephemeralcontainers"): Subject.EPHEMERAL_CONTAINERS,
    ("", "PodTemplate", ""): Subject.TEMPLATE,
    ("", "ReplicationController", ""): Subject.TEMPLATE,
    ("apps", "DaemonSet", ""): Subject.TEMPLATE,
    ("apps", "Deployment", ""): Subject.TEMPLATE,
    ("apps", "ReplicaSet", ""): Subject.TEMPLATE,
    ("apps", "StatefulSet", ""): Subject.TEMPLATE,
    ("batch", "CronJob", ""): Subject.TEMPLATE,
    ("batch", "Job", ""): Subject.TEMPLATE,
    ("", "ResourceQuota", ""): Subject.QUOTA,
    ("", "LimitRange", ""): Subject.LIMIT_RANGE,
    (GROUP, "ResourceClass", ""): Subject.CLASS,
}


def subject_of(request: Request) -> Subject:
    """Return what a request is about; OTHER is what no rule looks at."""
    key = (request.group, request.kind, request.sub_resource)
    if key == ("", "Pod", ""):
        return {"CREATE": Subject.POD, "UPDATE": Subject.POD_UPDATE}.get(request.operation, Subject.OTHER)
    if request.operation == "DELETE":
        return Subject.CLASS_DELETE if _WRITTEN.get(key) is Subject.CLASS else Subject.OTHER
    return _WRITTEN.get(key, Subject.OTHER) if request.operation in {"CREATE", "UPDATE"} else Subject.OTHER


def is_mirror_pod(request: Request) -> bool:
    """Whether a kubelet shows one of its static pods.

    The kubelet runs such a pod whatever the API server says; to refuse or change its mirror would only hide
    it. The annotation alone proves nothing: anybody may write it.
    """
    annotations = at(request.document, "metadata", "annotations")
    return NODES_GROUP in request.groups and MIRROR_ANNOTATION in annotations
