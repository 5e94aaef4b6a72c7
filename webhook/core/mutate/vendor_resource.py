"""What a container asks of a vendor's device plugin, beside its classes.

Reads: resources of containers and init containers, and spec.pod.vendorResource of their classes. Changes:
limits and requests. On a node that a vendor's plugin shares with us the kubelet hands out that resource too;
a class pod that did not ask for it would hold a device which the kubelet believes to be free.
"""

from collections import Counter
from typing import Final

from webhook.core.mutate.asked import Asked
from webhook.core.mutate.draft import Draft
from webhook.core.outcome import Reason
from webhook.core.text import list_of
from webhook.core.values.containers import LIMITS, REQUESTS, ContainerRef
from webhook.core.values.quantity import BadQuantity, parse_quantity
from webhook.core.values.vendor_resource import PATH

_WHY: Final = "so that the vendor's device plugin counts the devices too"


def ask_vendor(draft: Draft, wanted: Asked) -> None:
    """Let every container ask for as many of the vendor's resource as it asks for units of its classes."""
    if all(item.vendor_resource is None for item in wanted.classes.values()):
        return
    for ref in draft.containers():
        for resource, units in _needed(ref, wanted).items():
            if any(_differs(ref, field, resource, units) for field in (LIMITS, REQUESTS)):
                draft.fault(Reason.BAD_AMOUNT, _message(ref, resource, units, wanted))
                continue
            for field in (LIMITS, REQUESTS):
                if resource not in ref.amounts(field) and ref.may_hold(field):
                    path = ("spec", *ref.path, "resources", field, resource)
                    draft.put(path, str(units), f"asks for {units}", _WHY)


def _needed(ref: ContainerRef, wanted: Asked) -> Counter[str]:
    """Return the vendor's resources to the units of all classes of a container that are counted by them."""
    asked, needed = ref.units(), Counter[str]()
    for item in wanted.of_container(ref):
        if item.vendor_resource is not None:
            needed[item.vendor_resource] += asked[item.name]
    return needed


def _differs(ref: ContainerRef, field: str, resource: str, units: int) -> bool:
    amounts = ref.amounts(field)
    try:
        return resource in amounts and str(parse_quantity(amounts[resource])) != str(units)
    except BadQuantity:
        return True


def _message(ref: ContainerRef, resource: str, units: int, wanted: Asked) -> str:
    typed = ref.amounts(LIMITS).get(resource, ref.amounts(REQUESTS).get(resource))
    names = [item.name for item in wanted.of_container(ref) if item.vendor_resource == resource]
    return (
        f"{ref.title} asks for {typed} of {resource} and for {units} of {list_of(names)}, whose devices are "
        f"counted as {resource} too ({PATH} of the class): leave {resource} out"
    )
