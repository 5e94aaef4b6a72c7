"""Classes that give nothing: unreadable ones, ones that match no device, and values that cannot be compared.

Reads: classes and devices.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from webhook.core.doctor.facts import Facts
from webhook.core.doctor.finding import Finding, error, warning
from webhook.core.text import plural

UNREADABLE: Final = "UnreadableClass"
EMPTY: Final = "EmptyClass"
UNREADABLE_VALUE: Final = "UnreadableValue"


def unreadable_classes(facts: Facts) -> Iterator[Finding]:
    """Find classes that cannot be read: their pods are refused."""
    for name, problems in sorted(facts.classes.broken.items()):
        remedy = "correct the class; until then its pods are refused"
        yield error(UNREADABLE, f"ResourceClass {name}", "; ".join(problems), remedy)


def class_devices(facts: Facts) -> Iterator[Finding]:
    """Find classes without a device, and values of devices that a selector cannot compare."""
    members = Counter(name for device in facts.devices for name in facts.membership.of(device.properties))
    unreadable: Counter[tuple[str, str]] = Counter()
    for device in facts.devices:
        for name, texts in facts.membership.unreadable(device.properties).items():
            unreadable.update((name, text) for text in texts)
    for name in facts.classes.names:
        if not members[name]:
            text = "no device of the cluster matches its selector, so that its pods stay Pending"
            remedy = (
                "compare spec.selector with spec.properties of the devices (kubectl get er -o yaml); delete "
                "the class if nobody needs it; wait if nodes with such devices are still to come"
            )
            yield warning(EMPTY, f"ResourceClass {name}", text, remedy)
    for (name, text), count in sorted(unreadable.items()):
        remedy = "correct the property of the devices; until then they do not belong to the class"
        yield warning(
            UNREADABLE_VALUE,
            f"ResourceClass {name}",
            f"{plural(count, 'device')} with a value that it cannot compare: {text}",
            remedy,
        )
