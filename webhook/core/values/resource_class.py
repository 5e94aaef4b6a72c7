"""A ResourceClass, read from its object.

Raw JSON comes in; what leaves is checked, so that no rule behind this door meets a wrong type. The
schema of the CustomResourceDefinition refuses most faults already, but objects from before a schema
change and manifests from a folder pass by it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webhook.core.errors import BadInput
from webhook.core.values import names
from webhook.core.values.label_selector import LabelSelector, read_label_selector
from webhook.core.values.memory import BadMemory, parse_class_memory
from webhook.core.values.names import Json
from webhook.core.values.quantity import BadQuantity, parse_amount
from webhook.core.values.selector import BadSelector, Selector, parse_selector
from webhook.core.values.toleration import read_tolerations
from webhook.core.values.vendor_resource import PATH, read_vendor_resource, why_not_beside_a_plugin

PACK: Final = "Pack"
SPREAD: Final = "Spread"
ENV: Final = "Env"
DEVICE_PLUGIN: Final = "DevicePlugin"

# A variable becomes, in lower case and with dashes, the first label of an annotation's domain: at most
# 63 characters, no dash at either end, and no two variables that differ in case alone.
_VARIABLE: Final = re.compile(r"[A-Z](?:[A-Z0-9_]{0,61}[A-Z0-9])?")
_OWN_VARIABLES: Final = (names.DEVICES_VARIABLE, names.MEMORY_VARIABLE)


class BadClass(BadInput):
    """A ResourceClass that cannot be read. `problems` names each place and the remedy."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class ResourceClass:
    """A class of devices. Without `share_memory_bytes` a unit is a whole device."""

    name: str
    selector: Selector
    share_memory_bytes: int | None = None
    placement: str = PACK
    quota_default: int | None = None
    namespaces: LabelSelector | None = None
    tolerations: tuple[Json, ...] = ()
    runtime_class_name: str | None = None
    device_env: tuple[str, ...] = (names.NVIDIA_VISIBLE_DEVICES,)
    delivery: str = ENV
    vendor_resource: str | None = None

    @property
    def is_share(self) -> bool:
        """Whether a unit of the class is a share of a device."""
        return self.share_memory_bytes is not None

    @property
    def why_not_beside_a_plugin(self) -> str | None:
        """Why a vendor's device plugin cannot count the devices of the class as well; None where it can."""
        return why_not_beside_a_plugin(is_share=self.is_share, mounts=self.delivery == DEVICE_PLUGIN)


def parse_resource_class(obj: Json) -> ResourceClass:
    """Read a ResourceClass object. Raises BadClass with every problem, not the first."""
    problems: list[str] = []
    metadata = _map(obj.get("metadata"), "metadata", problems)
    spec = _map(obj.get("spec"), "spec", problems)
    pod = _map(spec.get("pod"), "spec.pod", problems)
    read = ResourceClass(
        name=_name(metadata.get("name"), problems),
        selector=_selector(spec.get("selector"), problems),
        share_memory_bytes=_share(spec.get("share"), problems),
        placement=_choice(spec.get("placement"), (PACK, SPREAD), "spec.placement", problems),
        quota_default=_quota(spec.get("quota"), problems),
        namespaces=_namespaces(spec.get("namespaces"), problems),
        tolerations=read_tolerations(pod.get("tolerations"), "spec.pod.tolerations", problems),
        runtime_class_name=_runtime_class(pod.get("runtimeClassName"), problems),
        device_env=_device_env(pod.get("deviceEnv"), problems),
        delivery=_choice(spec.get("delivery"), (ENV, DEVICE_PLUGIN), "spec.delivery", problems),
        vendor_resource=read_vendor_resource(pod.get("vendorResource"), problems),
    )
    if read.vendor_resource is not None and read.why_not_beside_a_plugin is not None:
        problems.append(f"{PATH} does not go with this class: {read.why_not_beside_a_plugin}")
    if problems:
        raise BadClass(tuple(problems))
    return read


def _map(raw: Any, path: str, problems: list[str]) -> Mapping[str, Any]:
    if isinstance(raw, dict):
        return raw
    if raw is not None:
        problems.append(f"{path} must be a map")
    return {}


def _name(raw: Any, problems: list[str]) -> str:
    if isinstance(raw, str) and names.is_class_name(raw):
        return raw
    problems.append(
        f"metadata.name {raw!r} cannot name a class; use at most {names.CLASS_NAME_MAX_LENGTH} lower-case "
        "letters, digits, '-' and '.', and none of Kubernetes' own resource names"
    )
    return ""


def _selector(raw: Any, problems: list[str]) -> Selector:
    if raw is None:
        problems.append("spec.selector is missing; say which devices belong to the class")
        return Selector(())
    try:
        return parse_selector(raw)
    except BadSelector as error:
        problems.extend(error.problems)
        return Selector(())


def _share(raw: Any, problems: list[str]) -> int | None:
    share = _map(raw, "spec.share", problems)
    if not isinstance(raw, dict):
        return None
    try:
        memory_bytes = parse_class_memory(share.get("memory"))
    except BadMemory as error:
        problems.append(f"spec.share.memory: {error}")
        return None
    if memory_bytes == 0:
        problems.append("spec.share.memory is 0; a unit must take some memory of its device, such as 2GiB")
    return memory_bytes


def _choice(raw: Any, allowed: tuple[str, ...], path: str, problems: list[str]) -> str:
    if raw is None:
        return allowed[0]
    if raw not in allowed:
        problems.append(f"{path} is {raw!r}; it must be {' or '.join(allowed)}")
    return str(raw)


def _quota(raw: Any, problems: list[str]) -> int | None:
    default = _map(raw, "spec.quota", problems).get("default")
    if default is None:
        return None
    try:
        return parse_amount(default)
    except BadQuantity as error:
        problems.append(f"spec.quota.default: {error}")
        return None


def _namespaces(raw: Any, problems: list[str]) -> LabelSelector | None:
    return None if raw is None else read_label_selector(raw, "spec.namespaces", problems)


def _runtime_class(raw: Any, problems: list[str]) -> str | None:
    if raw is None or (isinstance(raw, str) and raw):
        return raw
    problems.append(f"spec.pod.runtimeClassName is {raw!r}; name a RuntimeClass or leave it out")
    return None


def _device_env(raw: Any, problems: list[str]) -> tuple[str, ...]:
    if raw is None:
        return (names.NVIDIA_VISIBLE_DEVICES,)
    if not isinstance(raw, list):
        problems.append("spec.pod.deviceEnv must be a list of names of environment variables")
        return ()
    for index, item in enumerate(raw):
        if item in _OWN_VARIABLES:
            problems.append(f"spec.pod.deviceEnv[{index}]: {item} is set for every class; leave it out")
        elif not isinstance(item, str) or not _VARIABLE.fullmatch(item):
            problems.append(
                f"spec.pod.deviceEnv[{index}] {item!r} must be at most 63 upper-case letters, digits and "
                "'_', with a letter in front and no '_' at the end"
            )
    return tuple(dict.fromkeys(item for item in raw if isinstance(item, str)))
