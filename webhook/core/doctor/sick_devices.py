"""Devices that are not given out because they are unhealthy, and objects that describe no device.

Reads: ExtendedResource objects. Of devices whose labels are not settled, flapping.py tells.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.inventory.device_changes import LABELS_CHANGING, LABELS_MISSING, SUPERSEDED
from webhook.core.raw import as_text, at, name_of
from webhook.core.values.extended_resource import UNHEALTHY

SICK: Final = "UnhealthyDevice"
UNREADABLE: Final = "UnreadableDevice"

_OF_LABELS: Final = (LABELS_CHANGING, LABELS_MISSING, SUPERSEDED)


def sick_devices(facts: Facts) -> Iterator[Finding]:
    """Find devices that nobody gets."""
    for obj in facts.of("ExtendedResource"):
        status = at(obj, "status")
        reason = as_text(status.get("reason"))
        if status.get("phase") == UNHEALTHY and reason not in _OF_LABELS:
            said = ": ".join(filter(None, (reason, as_text(status.get("message"))))) or "no reason is given"
            remedy = "mend the device; whoever called it Unhealthy also says when it is well again"
            yield warning(SICK, f"ExtendedResource {name_of(obj)}", f"it is Unhealthy: {said}", remedy)
    read = {device.name for device in facts.devices}
    for name, problems in facts.read_devices[1].items():
        remedy = "correct the object, or delete it and let it be written again"
        say = warning if name in read else error
        yield say(UNREADABLE, f"ExtendedResource {name}", "; ".join(problems), remedy)
