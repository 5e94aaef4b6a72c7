"""Tolerations and runtime class that a pod needs for the devices of its classes.

Reads and changes: spec.tolerations, spec.runtimeClassName. A user's own runtime class stays.
"""

from typing import Any

from webhook.core.mutate.asked import Asked
from webhook.core.mutate.draft import Draft
from webhook.core.patch import same
from webhook.core.raw import at
from webhook.core.values.names import Json


def add_tolerations(draft: Draft, wanted: Asked) -> None:
    """Add the tolerations of the pod's classes that it does not have yet."""
    current = at(draft.object, "spec").get("tolerations")
    if current is not None and not isinstance(current, list):
        return  # the API server's to refuse
    tolerations: list[Any] = list(current or [])
    for name, item in wanted.classes.items():
        missing = [each for each in item.tolerations if not _has(tolerations, each)]
        tolerations += missing
        if missing:
            draft.put(
                ("spec", "tolerations"), list(tolerations), "tolerations added", f"class {name} lists them"
            )


def set_runtime_class(draft: Draft, wanted: Asked) -> None:
    """Give the pod the runtime class of its classes, unless it names one itself."""
    found = [
        (item.runtime_class_name, name) for name, item in wanted.classes.items() if item.runtime_class_name
    ]
    if not found:
        return
    needed, name = found[0]
    current = at(draft.object, "spec").get("runtimeClassName")
    if current in (None, ""):
        draft.put(("spec", "runtimeClassName"), needed, needed, f"class {name} needs it")
    elif current != needed:
        draft.warn(
            f'spec.runtimeClassName "{current}" is kept, although class {name} needs "{needed}"; '
            "the container may not see its device"
        )


def _has(tolerations: list[Any], wanted: Json) -> bool:
    return any(isinstance(item, dict) and same(_plain(item), _plain(wanted)) for item in tolerations)


def _plain(toleration: Json) -> Json:
    """Return a toleration without what is the default anyway."""
    plain = {key: value for key, value in toleration.items() if value not in (None, "")}
    return {"operator": "Equal", **plain}
