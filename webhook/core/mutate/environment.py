"""The environment variables through which a container learns its devices.

Reads: resources, env. Changes: env of containers and init containers of a pod that asks for a class.

A container with a class gets its device variables from annotations that are written when the devices are
chosen; the kubelet resolves them at the start of the container. They come first, so that $(NAME) in later
variables resolves. A container without any device gets NVIDIA_VISIBLE_DEVICES=void: images made for CUDA
say `all`, which would give it every device of the node.
"""

from collections.abc import Sequence
from typing import Any, Final

from webhook.core.mutate.asked import Asked
from webhook.core.mutate.draft import Draft
from webhook.core.patch import same
from webhook.core.values import names
from webhook.core.values.containers import ContainerRef
from webhook.core.values.device_env import variable_annotations
from webhook.core.values.names import Json
from webhook.core.values.quantity import is_some
from webhook.core.values.resource_class import ENV, ResourceClass

VOID: Final[Json] = {"name": names.NVIDIA_VISIBLE_DEVICES, "value": names.NO_DEVICE}


def set_environment(draft: Draft, wanted: Asked) -> None:
    """Set the device variables of every container, or void where there is no device."""
    for ref in draft.containers():
        own = own_variables(ref, wanted.of_container(ref))
        if own:
            put_first(draft, ref, own, "the container learns its devices from it")
        elif not asks_for_device(ref):
            put_first(draft, ref, [VOID], "the container asks for no device, and its image may ask for all")


def own_variables(ref: ContainerRef, classes: Sequence[ResourceClass]) -> list[Json]:
    """Return the variables that a container with these classes gets; none without an Env class or a name."""
    if not ref.name or not classes:
        return []
    sources = variable_annotations(ref.name, classes)
    variables = [_from_annotation(variable, source) for variable, source in sources.items()]
    variables += [
        {"name": names.MEMORY_VARIABLE, "value": str(ref.units()[item.name] * item.share_memory_bytes)}
        for item in classes
        if item.share_memory_bytes is not None and item.delivery == ENV
    ]
    return variables


def asks_for_device(ref: ContainerRef) -> bool:
    """Whether a container asks for a class or for another extended resource, such as nvidia.com/gpu."""
    return not ref.is_plain and any(
        names.is_extended(key) and is_some(value)
        for amounts in (ref.limits, ref.requests)
        for key, value in amounts.items()
    )


def put_first(draft: Draft, ref: ContainerRef, own: Sequence[Json], why: str) -> None:
    """Put variables in front of a container's env; others of the same names go, with a warning."""
    env = ref.container.get("env")
    if env is not None and not isinstance(env, list):
        return  # the API server's to refuse
    held = env or []
    ours = tuple(variable["name"] for variable in own)
    others = [item for item in held if variable_name(item) not in ours]
    if len(own) + len(others) == len(held) and same(held[: len(own)], own):
        return
    for item in held if len(others) < len(held) else ():
        name = variable_name(item)
        if name in ours and not any(same(item, variable) for variable in own):
            draft.warn(f"{ref.title}: {name} was set by hand and is dropped; the webhook sets it")
    draft.put(("spec", *ref.path, "env"), [*own, *others], f"sets {', '.join(ours)}", why)


def variable_name(item: Any) -> str | None:
    """Return the name of an entry of env; None for what is no entry."""
    name = item.get("name") if isinstance(item, dict) else None
    return name if isinstance(name, str) else None


def _from_annotation(variable: str, annotation: str) -> Json:
    # The API server sets apiVersion by default: without it, what is stored would differ from what we make.
    field = {"apiVersion": "v1", "fieldPath": f"metadata.annotations['{annotation}']"}
    return {"name": variable, "valueFrom": {"fieldRef": field}}
