"""The resource under which a vendor's device plugin counts the devices of a class, such as nvidia.com/gpu.

On a node where such a plugin runs, the kubelet counts by it. A class that names it has its pods counted there
too. That works for whole devices alone: the plugin knows no shares. And its own choice of a device must give
way to the record: a variable of the container outranks the plugin's, a mounted device does not.
"""

from typing import Any, Final

from webhook.core.values.names import is_qualified_name, is_vendor_resource

PATH: Final = "spec.pod.vendorResource"


def read_vendor_resource(raw: Any, problems: list[str]) -> str | None:
    """Return the name of the resource, or None where a class has none; faults are added to `problems`."""
    if raw is None:
        return None
    # `requests.` goes in front of it in a quota, where it must still be a name that is not too long.
    if isinstance(raw, str) and is_vendor_resource(raw) and is_qualified_name(f"requests.{raw}"):
        return raw
    problems.append(
        f"{PATH} is {raw!r}; it must be the resource of a vendor's device plugin with its domain, such as "
        "nvidia.com/gpu"
    )
    return None


def why_not_beside_a_plugin(*, is_share: bool, mounts: bool) -> str | None:
    """Return why devices of a class cannot be counted by a vendor's plugin too; None where they can."""
    if is_share:
        return "its units are shares of a device (spec.share), which a device plugin cannot count"
    if mounts:
        return "the kubelet mounts its devices (delivery: DevicePlugin), and would mount the plugin's too"
    return None
