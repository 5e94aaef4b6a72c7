"""Devices as DRA knows them: a DeviceClass that stands for an extended resource, and ResourceSlices."""

from typing import Any

Json = dict[str, Any]

DRIVER = "gpu.example.com"
EXTENDED_RESOURCE = "example.com/k80"
MODEL = "NVIDIA Tesla K80"

DEVICE_CLASS: Json = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "k80"},
    "spec": {
        "extendedResourceName": EXTENDED_RESOURCE,
        "selectors": [{"cel": {"expression": f'device.attributes["{DRIVER}"].model == "{MODEL}"'}}],
    },
}


def resource_slice(node: str, devices: int) -> Json:
    """Return the slice of a node with so many devices."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{DRIVER}"},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [
                {
                    "name": f"gpu-{number}",
                    "attributes": {"model": {"string": MODEL}, "index": {"int": number}},
                }
                for number in range(devices)
            ],
        },
    }
