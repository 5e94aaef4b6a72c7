"""Device objects of nodes that do not exist.

Reads: the node of each device. The garbage collector removes those whose owner, the Node, is gone; what is
left was written without one, or the node will still come.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, warning
from webhook.core.raw import name_of
from webhook.core.text import plural

LOST: Final = "LostDevice"


def lost_devices(facts: Facts) -> Iterator[Finding]:
    """Find nodes that only their devices speak of."""
    nodes = {name_of(node) for node in facts.of("Node")}
    lost = Counter(device.node for device in facts.devices if device.node not in nodes)
    for node, count in sorted(lost.items()):
        text = f"there is no such Node, but {plural(count, 'ExtendedResource')} of it"
        remedy = (
            f"kubectl delete er --field-selector spec.nodeName={node}, unless the node comes back; those of "
            "the controller go by themselves"
        )
        yield warning(LOST, f"node {node}", text, remedy)
