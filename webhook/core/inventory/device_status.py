"""The status of a device: whether it is given out, how much of it, and to whom, as the records of pods say.

Whether it is healthy is for others to say: a device that is Unhealthy stays so, whoever holds it. One that
pods hold beyond what it can serve is called so in `reason` and `message`.
"""

from typing import Final

from webhook.core.inventory.holdings import Held, Holder, over_held
from webhook.core.raw import at
from webhook.core.text import list_of, plural
from webhook.core.values.extended_resource import (
    AVAILABLE,
    BOUND,
    BadDevice,
    ExtendedResource,
    parse_extended_resource,
)
from webhook.core.values.names import Json

# More than share a device in practice (80 GiB in shares of 2 GiB are 40), and some 15 KB of an object.
MAX_CONSUMERS: Final = 64
MAX_NAMED: Final = 4

HELD_TWICE: Final = "DeviceHeldTwice"
MANY_CONSUMERS: Final = "ConsumersCut"


def device_status(obj: Json, held: Held) -> Json | None:
    """Return the merge patch of the status that says who holds the device; None where it says so already.

    None as well of an object that names no device.
    """
    try:
        device = parse_extended_resource(obj)
    except BadDevice:
        return None
    wanted = {**_phase(device, held), **_use(device, held), **_complaint(obj, device, held)}
    status = at(obj, "status")
    changes = {key: value for key, value in wanted.items() if status.get(key) != value}
    return {"status": changes} if changes else None


def _phase(device: ExtendedResource, held: Held) -> Json:
    return {"phase": AVAILABLE if held.is_free else BOUND} if device.is_healthy else {}


def _use(device: ExtendedResource, held: Held) -> Json:
    taken = device.memory_bytes if held.is_whole else held.memory_bytes
    consumers = [_consumer(holder) for holder in held.holders[:MAX_CONSUMERS]]
    return {"allocated": {"memory": _quantity(taken)} if taken else None, "consumers": consumers or None}


def _consumer(holder: Holder) -> Json:
    found = {
        "namespace": holder.namespace,
        "pod": holder.pod,
        "uid": holder.uid,
        "container": holder.container,
        "class": holder.class_name,
    }
    size = {} if holder.memory_bytes is None else {"memory": _quantity(holder.memory_bytes)}
    return found | size


def _quantity(memory_bytes: int) -> str:
    """Write a size as Kubernetes does, exactly: `2Gi`, `2000Mi`."""
    for suffix, bits in (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if memory_bytes % (1 << bits) == 0:
            return f"{memory_bytes >> bits}{suffix}"
    return str(memory_bytes)


def _complaint(obj: Json, device: ExtendedResource, held: Held) -> Json:
    """Return reason and message; those of a sick device and those of another rule are left alone."""
    if not device.is_healthy:
        return {}
    over = over_held(device, held)
    if over is not None:
        return {"reason": HELD_TWICE, "message": f"{over}: {list_of(held.pods, MAX_NAMED)}"}
    if len(held.holders) > MAX_CONSUMERS:
        count = plural(len(held.holders), "container")
        return {"reason": MANY_CONSUMERS, "message": f"held by {count}, of which {MAX_CONSUMERS} are listed"}
    ours = at(obj, "status").get("reason") in (HELD_TWICE, MANY_CONSUMERS)
    return {"reason": None, "message": None} if ours else {}
