"""Plain pods of a namespace that adopts: who asks for the vendor's resource asks for the class as well.

Reads: resources of containers and init containers of a pod that asks for no class. Changes: limits and
requests. The vendor's resource stays, for the vendor's device plugin goes on counting by it; the class beside
it makes the pod one that is accounted for, placed and given its devices like every other. The namespace label
`resourceclass.io/adopt` names the class, and the class a resource (nvidia.com/gpu if it names none).
"""

from dataclasses import replace

from webhook.core.mutate.draft import Draft, with_value
from webhook.core.mutate.requests import Renaming
from webhook.core.outcome import Outcome, Reason
from webhook.core.raw import value_at
from webhook.core.values.classes import Classes
from webhook.core.values.containers import LIMITS, REQUESTS, ContainerRef
from webhook.core.values.demand import demand
from webhook.core.values.names import ADOPT_LABEL, NVIDIA_GPU, Json, is_vendor_resource, stored_key
from webhook.core.values.pod_template import POD_SPEC_PATHS, kind_of
from webhook.core.values.quantity import is_some
from webhook.core.values.resource_class import ResourceClass


def adopt(draft: Draft, class_name: str, classes: Classes) -> tuple[Renaming, ...]:
    """Let every container ask for as many units of the class as of its vendor's resource.

    Returns what was adopted. A class that cannot be asked for so refuses the pods that it should adopt.
    """
    refs = draft.containers()
    adopter = classes.get(class_name)
    if adopter is None:
        # Which resource it stands for nobody knows: to let any pass would be to let them pass uncounted.
        if any(asks_for_vendor(ref) for ref in refs):
            draft.fault(Reason.CANNOT_ADOPT, _no_class(class_name, classes))
        return ()
    resource = adopted_resource(adopter)
    asking = tuple(ref for ref in refs if _asks(ref, resource))
    if asking and adopter.why_not_beside_a_plugin is not None:
        draft.fault(Reason.CANNOT_ADOPT, _unfit(adopter, resource))
        return ()
    for ref in asking:
        _give(draft, ref, adopter, resource)
    return tuple(Renaming(ref, resource, stored_key(class_name)) for ref in asking)


def adopted_template(obj: Json, class_name: str, classes: Classes) -> tuple[Json, tuple[str, ...]]:
    """Return a workload as its pods will ask, for advice alone, and why they would be refused.

    What is stored stays as its author wrote it: it is the pods that are adopted.
    """
    path = POD_SPEC_PATHS.get(kind_of(obj), ())
    spec = value_at(obj, path)
    if not path or not isinstance(spec, dict) or demand(spec):
        return obj, ()
    draft = Draft({"spec": spec})
    adopt(draft, class_name, classes)
    outcome = draft.outcome()
    return with_value(obj, path, outcome.object["spec"]), tuple(fault.message for fault in outcome.faults)


def adopted_resource(adopter: ResourceClass) -> str:
    """Return the resource whose plain pods a class adopts."""
    return adopter.vendor_resource or NVIDIA_GPU


def why_adopted(adopter: ResourceClass) -> str:
    """Say why a pod asks for a class that nobody wrote into it."""
    return (
        f"in this namespace whoever asks for {adopted_resource(adopter)} asks for class {adopter.name}: "
        f"label {ADOPT_LABEL}"
    )


def told(outcome: Outcome, adopter: ResourceClass) -> Outcome:
    """Return a refusal of an adopted pod with the reason why it is judged as one of the class."""
    faults = (replace(fault, message=f"{fault.message} ({why_adopted(adopter)})") for fault in outcome.faults)
    return replace(outcome, faults=tuple(faults))


def asks_for_vendor(ref: ContainerRef) -> bool:
    """Whether a container asks for the devices of any vendor's device plugin."""
    return any(
        is_vendor_resource(key) and is_some(value)
        for field in (LIMITS, REQUESTS)
        for key, value in ref.amounts(field).items()
    )


def _asks(ref: ContainerRef, resource: str) -> bool:
    return any(is_some(ref.amounts(field).get(resource)) for field in (LIMITS, REQUESTS))


def _give(draft: Draft, ref: ContainerRef, adopter: ResourceClass, resource: str) -> None:
    stored = stored_key(adopter.name)
    for field in (LIMITS, REQUESTS):
        amount = ref.amounts(field).get(resource)
        if amount is not None:
            path = ("spec", *ref.path, "resources", field, stored)
            draft.put(path, amount, f"asks for {amount}", why_adopted(adopter))


def _no_class(name: str, classes: Classes) -> str:
    if name in classes.broken:
        why = f"which cannot be read: {'; '.join(classes.broken[name])}"
    else:
        near = classes.closest(name)
        why = "which does not exist" + (f" (did you mean {near}?)" if near else "")
    return (
        f'the namespace adopts pods that ask for devices as class "{name}" (label {ADOPT_LABEL}), {why}; '
        "ask an administrator to correct the label or the class"
    )


def _unfit(adopter: ResourceClass, resource: str) -> str:
    return (
        f"the namespace adopts pods that ask for {resource} as class {adopter.name} (label {ADOPT_LABEL}), "
        f"and {adopter.why_not_beside_a_plugin}; ask an administrator to name a class of whole devices that "
        "are delivered by environment"
    )
