"""The collections that the controller watches, and how little of each object is kept.

Memory is the reason: of a Node, its addresses, images and heartbeats are nine tenths. What is dropped is no
change either, so a heartbeat wakes nobody.
"""

from typing import Any, Final

from webhook.cluster.listing import Resource
from webhook.core.inventory.label_sources import LABEL_PREFIXES
from webhook.core.raw import as_list, as_mapping, as_text, at, value_at
from webhook.core.values.names import API_VERSION, NODE_CONDITION, NODE_LABEL_PREFIX, STORED_PREFIX, Json

_CORE: Final = "/api/v1"
_OURS: Final = f"/apis/{API_VERSION}"
_AMOUNTS: Final = ("capacity", "allocatable")
_LABELS: Final = (*LABEL_PREFIXES, NODE_LABEL_PREFIX)


def keep_node(obj: Json) -> Json:
    """Keep what tells of devices: labels, extended resources, and our own condition."""
    metadata, status = at(obj, "metadata"), at(obj, "status")
    labels = {key: value for key, value in at(metadata, "labels").items() if key.startswith(_LABELS)}
    conditions = [item for item in as_list(status.get("conditions")) if _is_ours(item)]
    kept = {name: _extended(status.get(name)) for name in _AMOUNTS}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {**_named(metadata, "name", "uid", "resourceVersion"), "labels": labels},
        "status": {**kept, "conditions": conditions},
    }


def keep_object(obj: Json) -> Json:
    """Keep an object but for the bookkeeping of its fields."""
    metadata = {key: value for key, value in at(obj, "metadata").items() if key != "managedFields"}
    return {**obj, "metadata": metadata}


def keep_quota(obj: Json) -> Json:
    """Keep what a ResourceQuota allows: what is used of it changes with every pod."""
    metadata = at(obj, "metadata")
    kept = _named(metadata, "name", "namespace", "uid", "labels")
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": kept, "spec": at(obj, "spec")}


def keep_namespace(obj: Json) -> Json:
    """Keep the name and the labels of a namespace, and whether it is about to go."""
    metadata = at(obj, "metadata")
    kept = _named(metadata, "name", "uid", "labels", "deletionTimestamp")
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": kept}


def version_of(obj: Json) -> int:
    """Return the resourceVersion of an object, which the API server lets grow with every change."""
    text = as_text(at(obj, "metadata").get("resourceVersion"))
    return int(text) if text.isdigit() else 0


def node_of(device: Json) -> str:
    """Return the node of an ExtendedResource."""
    return as_text(at(device, "spec").get("nodeName"))


def is_same_node(one: Json, other: Json) -> bool:
    """Whether two states of a Node say the same of devices."""
    parts = (("metadata", "uid"), ("metadata", "labels"), ("status",))
    return all(value_at(one, part) == value_at(other, part) for part in parts)


def is_same_but_for_ours(one: Json, other: Json) -> bool:
    """Whether two states of a Node differ in nothing but what the controller writes."""
    return _foreign(one) == _foreign(other)


def _foreign(node: Json) -> tuple[Any, ...]:
    labels, status = at(node, "metadata", "labels"), at(node, "status")
    parts = [(labels, NODE_LABEL_PREFIX), *((at(status, name), STORED_PREFIX) for name in _AMOUNTS)]
    others = [{key: item[key] for key in item if not key.startswith(ours)} for item, ours in parts]
    return at(node, "metadata").get("uid"), others


def _named(metadata: Json, *names: str) -> Json:
    return {name: metadata[name] for name in names if name in metadata}


def _is_ours(condition: Any) -> bool:
    return as_mapping(condition).get("type") == NODE_CONDITION


def _extended(amounts: Any) -> Json:
    """Return the amounts of extended resources: all other names have no slash."""
    return {key: value for key, value in as_mapping(amounts).items() if "/" in key}


NODES: Final[Resource[Json]] = Resource("Node", _CORE, "nodes", keep_node)
DEVICES: Final[Resource[Json]] = Resource("ExtendedResource", _OURS, "extendedresources", keep_object)
CLASSES: Final[Resource[Json]] = Resource("ResourceClass", _OURS, "resourceclasses", keep_object)
NAMESPACES: Final[Resource[Json]] = Resource("Namespace", _CORE, "namespaces", keep_namespace)
QUOTAS: Final[Resource[Json]] = Resource("ResourceQuota", _CORE, "resourcequotas", keep_quota)
