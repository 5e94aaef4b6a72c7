"""Devices of which pods hold more than they have.

Reads: the records of unfinished pods, and the devices.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error
from webhook.core.inventory.holdings import over_held
from webhook.core.text import list_of

DOUBLE: Final = "DoubleAllocation"
_MOST: Final = 4


def double_allocations(facts: Facts) -> Iterator[Finding]:
    """Find devices that are given out twice."""
    for device in facts.devices:
        held = facts.holdings.of(device.node, device.device_id)
        told = over_held(device, held)
        if told is not None:
            remedy = (
                "delete the pods that came last until it fits; the controller does so by itself with "
                "`double-allocations: evict-newest`"
            )
            text = f"{told}: {list_of(held.pods, _MOST)}"
            yield error(DOUBLE, f"device {device.node}/{device.device_id}", text, remedy)
