"""Patches of a device object that was made from labels: of its spec, and of its health as labels say it.

A device that somebody else has called Unhealthy is left so.
"""

from collections.abc import Mapping
from typing import Final

from webhook.core.inventory.device_objects import device_facts
from webhook.core.inventory.label_sources import DeviceSpec
from webhook.core.raw import as_text, at
from webhook.core.values.extended_resource import AVAILABLE, BOUND, UNHEALTHY
from webhook.core.values.names import Json

LABELS_MISSING: Final = "LabelsMissing"
LABELS_CHANGING: Final = "LabelsChanging"
SUPERSEDED: Final = "Superseded"

# Properties whose change makes another device of it; the others are brought up to date at any time.
MATERIAL: Final = ("vendor", "model", "memory", "type", "profile")
PASSING: Final = ("index", "architecture", "computeCapability", "driver")

_MESSAGES: Final = {
    LABELS_MISSING: "the labels of the node do not describe this device any more",
    LABELS_CHANGING: "the labels of the node have changed; they are believed once they stay so for a while",
    SUPERSEDED: "other objects describe the devices of the node; this one goes once no pod holds it",
}

Facts = tuple[str, ...]


def facts(device_id: str, raw_resource: str, properties: Mapping[str, object]) -> Facts:
    """Return what must stay the same for a device to be the same."""
    return (device_id, raw_resource, *(as_text(properties.get(key)) for key in MATERIAL))


def facts_of(obj: Json) -> Facts:
    """Return the facts of an object."""
    spec = at(obj, "spec")
    return facts(device_id(obj), as_text(spec.get("rawResourceName")), at(spec, "properties"))


def device_id(obj: Json) -> str:
    """Return the id of the device that an object stands for."""
    return as_text(at(obj, "spec").get("deviceID"))


def spec_patch(obj: Json, spec: DeviceSpec) -> Json | None:
    """Return the merge patch after which the object says what the labels say; None where it does already.

    Properties that no label gives, and that somebody has added, stay.
    """
    present = at(obj, "spec", "properties")
    changes: dict[str, str | None] = {
        key: value for key, value in spec.properties.items() if present.get(key) != value
    }
    changes |= {key: None for key in (*MATERIAL, *PASSING) if key in present and key not in spec.properties}
    patch: Json = {"properties": changes} if changes else {}
    raw = device_facts(spec).get("rawResourceName")
    if raw != at(obj, "spec").get("rawResourceName"):
        patch["rawResourceName"] = raw
    return {"spec": patch} if patch else None


def reason_of(obj: Json) -> str:
    """Return by which of our reasons the device is Unhealthy, empty if by none."""
    status = at(obj, "status")
    reason = as_text(status.get("reason"))
    return reason if status.get("phase") == UNHEALTHY and reason in _MESSAGES else ""


def health_patch(obj: Json, reason: str, *, is_held: bool) -> Json | None:
    """Return the patch of the status, None where nothing changes. Without `reason` the device is well."""
    present, status = reason_of(obj), at(obj, "status")
    if present == reason or (not present and status.get("phase") == UNHEALTHY):
        return None
    if reason:
        return {"status": {"phase": UNHEALTHY, "reason": reason, "message": _MESSAGES[reason]}}
    return {"status": {"phase": BOUND if is_held else AVAILABLE, "reason": None, "message": None}}
