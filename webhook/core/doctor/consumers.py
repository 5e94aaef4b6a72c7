"""Devices whose status names pods that are gone.

Reads: status.consumers of devices, and the unfinished pods. The status is for people: the binder believes the
records alone, so that a name which stayed keeps no device from anybody.
"""

from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, warning
from webhook.core.raw import as_list, as_mapping, as_text, at, name_of
from webhook.core.text import list_of

GHOST: Final = "GhostConsumer"
_MOST: Final = 4


def consumers(facts: Facts) -> Iterator[Finding]:
    """Find devices whose status names a pod that holds nothing, or is not there."""
    present = {pod.uid for pod in facts.pods if pod.record is not None}
    for obj in facts.of("ExtendedResource"):
        listed = map(as_mapping, as_list(at(obj, "status").get("consumers")))
        gone = [
            f"{item.get('namespace')}/{item.get('pod')}"
            for item in listed
            if as_text(item.get("uid")) not in present
        ]
        if gone:
            text = f"its status names {list_of(dict.fromkeys(gone), _MOST)}, which holds no device or is gone"
            remedy = (
                "see whether the controller runs (kubectl logs): it writes the status; the device is free"
            )
            yield warning(GHOST, f"ExtendedResource {name_of(obj)}", text, remedy)
