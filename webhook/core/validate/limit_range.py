"""Which containers ask for a class only because a LimitRange gave it to them.

The LimitRanger plugin runs before every webhook and leaves a note in an annotation of the pod
(plugin/pkg/admission/limitranger/admission.go, mergeContainerResources):

    LimitRanger plugin set: cpu, resourceclass.io/a request for container x; memory limit for init container y

Reads that annotation; an unreadable one says nothing.
"""

import re
from typing import Final

from webhook.core.raw import as_text, at
from webhook.core.values.names import Json, stored_key

ANNOTATION: Final = "kubernetes.io/limit-ranger"
PREFIX: Final = "LimitRanger plugin set: "
_PART: Final = re.compile(r"(?P<keys>.+) (?:request|limit) for (?:init )?container (?P<container>\S+)")


def given_by_limit_range(pod: Json, class_name: str) -> tuple[str, ...]:
    """Return the names of the containers to which a LimitRange gave the class, in the order of the note."""
    note = as_text(at(pod, "metadata", "annotations").get(ANNOTATION))
    if not note.startswith(PREFIX):
        return ()
    parts = (_PART.fullmatch(part) for part in note.removeprefix(PREFIX).split("; "))
    key = stored_key(class_name)
    named = (part["container"] for part in parts if part and key in part["keys"].split(", "))
    return tuple(dict.fromkeys(named))
