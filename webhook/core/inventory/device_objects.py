"""ExtendedResource objects of devices that are known from labels."""

import hashlib
import re
from typing import Final

from webhook.core.inventory.class_objects import is_ours
from webhook.core.inventory.label_sources import DeviceSpec
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values import names
from webhook.core.values.names import DNS1123_SUBDOMAIN, Json

NAME_MAX_LENGTH: Final = 253  # of an object: DNS subdomain names in apimachinery, pkg/util/validation
HASH_LENGTH: Final = 8

_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9.-]+")


def device_name(node: str, device_id: str) -> str:
    """Return the name of a device's object: `<node>-<id in lower case>`, with a hash where it must be."""
    plain = f"{node}-{device_id.lower()}"
    if len(plain) <= NAME_MAX_LENGTH and DNS1123_SUBDOMAIN.fullmatch(plain):
        return plain
    digest = hashlib.sha256(f"{node}\0{device_id}".encode("utf-8", "surrogatepass")).hexdigest()
    ending = f"-{digest[:HASH_LENGTH]}"
    name = _NOT_IN_NAMES.sub("-", plain)[: NAME_MAX_LENGTH - len(ending)].strip("-.") + ending
    return name if DNS1123_SUBDOMAIN.fullmatch(name) else f"device{ending}"


def device_object(node: Json, spec: DeviceSpec) -> Json:
    """Return the object of a device that the labels of `node` describe; the Node owns it."""
    metadata = at(node, "metadata")
    name = as_text(metadata.get("name"))
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": as_text(metadata.get("uid"))}
    return {
        "apiVersion": names.API_VERSION,
        "kind": "ExtendedResource",
        "metadata": {
            "name": device_name(name, spec.device_id),
            "labels": {
                names.MANAGED_BY_LABEL: names.MANAGED_BY,
                names.DISCOVERED_BY_LABEL: names.FROM_LABELS,
            },
            "ownerReferences": [owner],
        },
        "spec": {"nodeName": name, "deviceID": spec.device_id, **device_facts(spec)},
    }


def device_facts(spec: DeviceSpec) -> Json:
    """Return what of an object's spec may change while it stands for the same device."""
    facts: Json = {"properties": dict(spec.properties)}
    if spec.raw_resource:
        facts["rawResourceName"] = spec.raw_resource
    return facts


def is_from_labels(obj: Json) -> bool:
    """Whether the object is ours, made from labels of its node."""
    return is_ours(obj) and at(obj, "metadata", "labels").get(names.DISCOVERED_BY_LABEL) == names.FROM_LABELS


def owner_uid(obj: Json) -> str:
    """Return the UID of the Node that owns the object, empty where none does."""
    owners = (as_mapping(item) for item in as_list(at(obj, "metadata").get("ownerReferences")))
    return next((as_text(item.get("uid")) for item in owners if item.get("kind") == "Node"), "")
