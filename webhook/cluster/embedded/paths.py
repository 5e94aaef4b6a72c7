"""What a path of the API means: a collection, an object of it, or a subresource of one."""

from typing import Final, NamedTuple
from urllib.parse import unquote

from webhook.cluster.identity import CLUSTER_SCOPED, ObjectId
from webhook.core.values.names import GROUP

# By group and plural: the collections that our own code reads and writes.
KINDS: Final = {
    ("", "namespaces"): "Namespace",
    ("", "nodes"): "Node",
    ("", "pods"): "Pod",
    ("", "resourcequotas"): "ResourceQuota",
    ("", "events"): "Event",
    ("coordination.k8s.io", "leases"): "Lease",
    (GROUP, "resourceclasses"): "ResourceClass",
    (GROUP, "extendedresources"): "ExtendedResource",
}


class Target(NamedTuple):
    """What a request is about. Without a name it is a collection, without a namespace that of all."""

    group: str
    kind: str
    namespace: str
    name: str
    subresource: str

    @property
    def key(self) -> ObjectId:
        """The object that is meant."""
        return ObjectId(self.group, self.kind, self.namespace, self.name)

    def holds(self, key: ObjectId) -> bool:
        """Whether an object belongs to the collection."""
        return (key.group, key.kind) == (self.group, self.kind) and self.namespace in ("", key.namespace)


def target_of(path: str) -> Target | None:
    """Read a path; None where nothing is served under it."""
    _, root, *parts = [unquote(part) for part in path.split("/")]
    if root == "api" and parts[:1] == ["v1"]:
        group, rest = "", parts[1:]
    elif root == "apis" and len(parts) > 2:
        group, rest = parts[0], parts[2:]
    else:
        return None
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    kind = KINDS.get((group, rest[0])) if 0 < len(rest) <= 3 else None
    if kind is None or (namespace and kind in CLUSTER_SCOPED):
        return None
    name, subresource = (*rest[1:], "", "")[:2]
    return Target(group, kind, namespace, name, subresource)
