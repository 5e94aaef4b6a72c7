"""What a Binding makes of a pod."""

from webhook.core.raw import as_list, as_mapping, at
from webhook.core.values.names import Json


def bound(pod: Json, binding: Json, now: str) -> Json:
    """Return the pod on the node of the Binding, with its annotations; `now` as Kubernetes writes a time."""
    annotations = {**at(pod, "metadata", "annotations"), **at(binding, "metadata", "annotations")}
    metadata = {**at(pod, "metadata"), **({"annotations": annotations} if annotations else {})}
    scheduled = {"type": "PodScheduled", "status": "True", "lastTransitionTime": now}
    present = as_list(at(pod, "status").get("conditions"))
    others = [item for item in present if as_mapping(item).get("type") != scheduled["type"]]
    return {
        **pod,
        "metadata": metadata,
        "spec": {**at(pod, "spec"), "nodeName": at(binding, "target")["name"]},
        "status": {**at(pod, "status"), "conditions": [*others, scheduled]},
    }
