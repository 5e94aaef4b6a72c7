"""What tells one object of a cluster from another, and where it stands."""

from typing import Final, NamedTuple

from webhook.core.errors import BadInput
from webhook.core.raw import as_text, at
from webhook.core.values.names import Json

DEFAULT_NAMESPACE: Final = "default"

# The kinds of Kubernetes 1.36 (and ours) that stand in no namespace; all others are taken as namespaced.
CLUSTER_SCOPED: Final = frozenset(
    {
        "APIService", "CertificateSigningRequest", "ClusterRole", "ClusterRoleBinding", "ClusterTrustBundle",
        "ComponentStatus", "CSIDriver", "CSINode", "CustomResourceDefinition", "DeviceClass",
        "DeviceTaintRule", "ExtendedResource", "FlowSchema", "IngressClass", "IPAddress",
        "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
        "Namespace", "Node", "PersistentVolume", "PriorityClass", "PriorityLevelConfiguration",
        "ResourceClass", "ResourceSlice", "RuntimeClass", "ServiceCIDR", "StorageClass", "StorageVersion",
        "StorageVersionMigration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration", "VolumeAttachment", "VolumeAttributesClass",
    }
)  # fmt: skip


class ObjectId(NamedTuple):
    """The identity of an object. The version of its API is no part of it, as in the API server."""

    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


def identify(obj: Json) -> ObjectId:
    """Return the identity of an object; a namespaced one that names no namespace stands in `default`.

    Raises BadInput, without the place, when it has no usable name.
    """
    metadata = at(obj, "metadata")
    name = metadata.get("name")
    if name is None or name == "":
        raise BadInput(f"{obj['kind']} without metadata.name (a text); give it one")
    if not isinstance(name, str):
        raise BadInput(
            f"{obj['kind']}: metadata.name is not a text; quote it, "
            "for YAML reads a bare n, off or 12 as something else"
        )
    group, _, _ = obj["apiVersion"].rpartition("/")
    namespace = "" if is_cluster_scoped(obj) else as_text(metadata.get("namespace")) or DEFAULT_NAMESPACE
    return ObjectId(group, obj["kind"], namespace, name)


def is_cluster_scoped(obj: Json) -> bool:
    """Whether objects of this kind stand in no namespace."""
    return obj.get("kind") in CLUSTER_SCOPED


def with_namespace(obj: Json, namespace: str = DEFAULT_NAMESPACE) -> Json:
    """Return the object with `namespace` set if it is namespaced and names none; else the object itself."""
    metadata = at(obj, "metadata")
    if is_cluster_scoped(obj) or metadata.get("namespace"):
        return obj
    return {**obj, "metadata": {**metadata, "namespace": namespace}}
