"""Pod templates of workloads: names alone, so that the object can be stored at all.

Reads and changes: the keys of resources in the pod template, at the path of the kind. Everything else is
done to the pods that are made from it. Objects that a controller owns are left alone: it would write them
again as before, and its own owner was renamed already. So is an update that leaves the template as it
was: scaling, labels and finalizers must work whatever we think of the template.
"""

from webhook.core.mutate.asked import unusable
from webhook.core.mutate.draft import Draft
from webhook.core.mutate.pod import rename_and_check
from webhook.core.mutate.removal import Intent
from webhook.core.mutate.requests import SpecPath, drop_removed
from webhook.core.outcome import Outcome
from webhook.core.patch import same
from webhook.core.raw import value_at
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.names import Json
from webhook.core.values.pod_template import POD_SPEC_PATHS, has_controller, kind_of, name_of


def mutate_template(obj: Json, old: Json | None, classes: Classes) -> Outcome:
    """Return what a workload (or PodTemplate) that is created or updated becomes."""
    draft, path = Draft(obj), POD_SPEC_PATHS.get(kind_of(obj))
    if path is None or has_controller(obj):
        return draft.outcome()
    dropped = drop_removed(draft, path, Intent(old, obj)) if old is not None else ()
    if old is not None and not dropped and same(value_at(obj, path), value_at(old, path)):
        return draft.outcome()
    renamed = rename_and_check(draft, path, classes)
    _warn(draft, renamed, dropped)
    _warn_of_unusable(draft, path, classes)
    return draft.outcome()


def _warn(draft: Draft, renamed: tuple[str, ...], dropped: tuple[str, ...]) -> None:
    what = f"{kind_of(draft.object)} {name_of(draft.object)}"
    for item in renamed:
        draft.warn(f"{what}: stored {item}; write it so in Git, then what is stored is what you wrote")
    for item in dropped:
        draft.warn(f"{what}: dropped {item}, because its line was removed from the manifest")


def _warn_of_unusable(draft: Draft, path: SpecPath, classes: Classes) -> None:
    """Pods of a template may be made long after it, so a class that is missing now is no fault yet."""
    for _, text in unusable(demand(value_at(draft.object, path)), classes):
        draft.warn(text)
