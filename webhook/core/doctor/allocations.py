"""Records that name devices which are not there, and records that cannot be believed.

Reads: the records of unfinished pods, and the devices.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.text import list_of

GHOST: Final = "GhostAllocation"
DAMAGED: Final = "DamagedRecord"
_MOST: Final = 4


def ghost_allocations(facts: Facts) -> Iterator[Finding]:
    """Find devices that pods hold and nobody has written."""
    known = {(device.node, device.device_id) for device in facts.devices}
    for (node, device), held in sorted(facts.holdings.by_device.items()):
        if (node, device) not in known:
            text = (
                f"the record of {list_of(held.pods, _MOST) or 'a pod'} names it, and there is no such device"
            )
            remedy = (
                "if the device was taken out, delete the pod; else find out who deleted its object: "
                "the node agent or the controller writes it again, one written by hand is yours to write"
            )
            yield error(GHOST, f"device {node}/{device}", text, remedy)


def damaged_records(facts: Facts) -> Iterator[Finding]:
    """Find records that cannot be read, that their annotations contradict, or that are of another node."""
    for pod in facts.holdings.damaged:
        text = f"its record is damaged: {'; '.join(pod.problems)}"
        text += f"; nothing is given on node {pod.node} any more" if pod.blocks_node else ""
        remedy = "delete the pod and let it be placed again; what it may hold counts as taken until then"
        yield error(DAMAGED, f"pod {pod.namespace}/{pod.pod}", text, remedy)
