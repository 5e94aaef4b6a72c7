"""The names that users, the API server and all parts of ResourceClass share, and how a class gives them.

Three spellings name a class: the bare one that people type (``nvidia.tesla.k80``), the stored one in a
container's resources (``resourceclass.io/nvidia.tesla.k80``) and the one in a ResourceQuota
(``requests.resourceclass.io/nvidia.tesla.k80``: the API server enforces no other spelling of an
extended resource, see "Quota for extended resources" in the Kubernetes documentation).
"""

import re
from typing import Any, Final

Json = dict[str, Any]

GROUP: Final = "resourceclass.io"
VERSION: Final = "v1alpha1"
API_VERSION: Final = f"{GROUP}/{VERSION}"

STORED_PREFIX: Final = f"{GROUP}/"
QUOTA_PREFIX: Final = f"requests.{GROUP}/"
NODE_LABEL_PREFIX: Final = f"class.{GROUP}/"

SCHEDULER: Final = "resourceclass-scheduler"
DEFAULT_SCHEDULER: Final = "default-scheduler"

RECORD_ANNOTATION: Final = f"{GROUP}/allocation"
DEVICES_DOMAIN: Final = f"devices.{GROUP}"
MIRROR_ANNOTATION: Final = "kubernetes.io/config.mirror"
LAST_APPLIED_ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
NODES_GROUP: Final = "system:nodes"

WEBHOOK_LABEL: Final = f"{GROUP}/webhook"
ENFORCE_LABEL: Final = f"{GROUP}/enforce"
ENFORCE_WORKLOADS_LABEL: Final = f"{GROUP}/enforce-workloads"
ISOLATE_LABEL: Final = f"{GROUP}/isolate"
ADOPT_LABEL: Final = f"{GROUP}/adopt"

NVIDIA_GPU: Final = "nvidia.com/gpu"

MANAGED_BY_LABEL: Final = "app.kubernetes.io/managed-by"
MANAGED_BY: Final = "resourceclass"
DISCOVERED_BY_LABEL: Final = f"{GROUP}/discovered-by"
FROM_LABELS: Final = "labels"
DEFAULT_QUOTA: Final = "resourceclass-defaults"
NODE_CONDITION: Final = "ResourceClassReady"

NVIDIA_VISIBLE_DEVICES: Final = "NVIDIA_VISIBLE_DEVICES"
DEVICES_VARIABLE: Final = "RESOURCECLASS_DEVICES"
MEMORY_VARIABLE: Final = "RESOURCECLASS_MEMORY_BYTES"
NO_DEVICE: Final = "void"

# A class name becomes the name part of a label and of a resource, hence 63 (qualified names in apimachinery,
# pkg/util/validation).
CLASS_NAME_MAX_LENGTH: Final = 63
DNS1123_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")

# The name part of a label or resource, and the value of a label (apimachinery, pkg/util/validation).
NAME_PART: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN_MAX_LENGTH: Final = 253

# Every resource name without a slash that some API object may legally hold (core/v1 types.go and
# pkg/apis/core/helper of Kubernetes 1.36). None of them can be a class.
STANDARD_NAMES: Final = frozenset(
    {
        "cpu", "memory", "storage", "ephemeral-storage", "pods", "count", "services",
        "replicationcontrollers", "resourcequotas", "secrets", "configmaps", "persistentvolumeclaims",
        "services.nodeports", "services.loadbalancers", "requests", "limits",
    }
)  # fmt: skip
STANDARD_PREFIXES: Final = ("hugepages-", "requests.", "limits.", "attachable-volumes-", "count.")


def is_standard(name: str) -> bool:
    """Whether a resource name without a slash belongs to Kubernetes itself and can be no class."""
    return name in STANDARD_NAMES or name.startswith(STANDARD_PREFIXES)


def is_qualified_name(name: str) -> bool:
    """Whether `name` could be the key of a label or the name of a resource, with a domain or without."""
    domain, slash, last = name.rpartition("/")
    return NAME_PART.fullmatch(last) is not None and (
        not slash or (len(domain) <= _DOMAIN_MAX_LENGTH and DNS1123_SUBDOMAIN.fullmatch(domain) is not None)
    )


def is_extended(key: str) -> bool:
    """Whether a resource key is one of devices, ours or another's.

    As IsExtendedResourceName in Kubernetes' pkg/apis/core/helper/helpers.go.
    """
    return "/" in key and "kubernetes.io/" not in key and not key.startswith("requests.")


def is_vendor_resource(key: str) -> bool:
    """Whether a resource key names the devices of somebody else's device plugin, such as nvidia.com/gpu."""
    domain = key.partition("/")[0]
    return is_extended(key) and domain != GROUP and not domain.endswith(f".{GROUP}")


def is_class_name(name: str) -> bool:
    """Whether `name` could be the name of a ResourceClass."""
    return (
        len(name) <= CLASS_NAME_MAX_LENGTH
        and DNS1123_SUBDOMAIN.fullmatch(name) is not None
        and not is_standard(name)
    )


def stored_key(class_name: str) -> str:
    """Return the key under which a container asks for a class once stored."""
    return STORED_PREFIX + class_name


def quota_key(class_name: str) -> str:
    """Return the only ResourceQuota key that the API server enforces for a class."""
    return QUOTA_PREFIX + class_name


def node_label(class_name: str) -> str:
    """Return the node label whose value is the units of the class that the node, empty, could serve."""
    return NODE_LABEL_PREFIX + class_name


def devices_annotation(container: str) -> str:
    """Return the pod annotation that tells the kubelet the devices of one container."""
    return f"{DEVICES_DOMAIN}/{container}"


def variable_annotation(variable: str, container: str) -> str:
    """Return the annotation behind one device variable of a container whose classes name different ones."""
    return f"{variable.lower().replace('_', '-')}.{DEVICES_DOMAIN}/{container}"


def is_bare_candidate(key: str) -> bool:
    """Whether a resource key has the form of a bare class name: no slash, and not Kubernetes' own."""
    return "/" not in key and not is_standard(key)


def class_of_stored_key(key: str) -> str | None:
    """Return the class that a stored container key names, or None for any other key."""
    return key[len(STORED_PREFIX) :] if key.startswith(STORED_PREFIX) else None


def class_of_quota_key(key: str) -> str | None:
    """Return the class that a stored quota key names, or None for any other key."""
    return key[len(QUOTA_PREFIX) :] if key.startswith(QUOTA_PREFIX) else None


def class_of_any_quota_spelling(key: str) -> str | None:
    """Return what a quota key would name as a class, whichever of the accepted spellings it uses.

    Accepted are `<class>`, `resourceclass.io/<class>` and both with `requests.` or `limits.` in front.
    The result is a candidate: whether such a class exists is for the caller to say.
    """
    rest = key
    for prefix in ("requests.", "limits."):
        if key.startswith(prefix):
            rest = key[len(prefix) :]
            break
    if rest.startswith(STORED_PREFIX):
        return rest[len(STORED_PREFIX) :]
    return rest if is_bare_candidate(rest) else None
