"""A pod that is created: everything that makes a request for a class work.

The rules stand in files of their own; here is their order. Names come first, because every other rule
counts by the stored names. A pod that asks for no unit of any class is given its names and nothing else.
"""

from webhook.core.mutate.adopt import adopt, told
from webhook.core.mutate.affinity import require_nodes
from webhook.core.mutate.amounts import check_amounts
from webhook.core.mutate.asked import Asked, asked, refuse_unusable
from webhook.core.mutate.draft import Draft
from webhook.core.mutate.environment import set_environment
from webhook.core.mutate.isolate import refuse_hand_set, void_without_device
from webhook.core.mutate.requests import Renaming, SpecPath, refuse_near, refuse_pod_level, rename_requests
from webhook.core.mutate.runtime import add_tolerations, set_runtime_class
from webhook.core.mutate.scheduler import set_scheduler
from webhook.core.mutate.vendor_resource import ask_vendor
from webhook.core.outcome import Outcome
from webhook.core.settings import PodSettings
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand_of
from webhook.core.values.names import Json


def mutate_pod(pod: Json, classes: Classes, settings: PodSettings, *, isolated: bool = False) -> Outcome:
    """Return what a pod that is created becomes. A second call changes nothing."""
    draft = Draft(pod)
    if not isinstance(pod.get("spec"), dict):
        return draft.outcome()
    rename_and_check(draft, ("spec",), classes)
    wanted = asked(draft.containers(), classes)
    if isolated:
        refuse_hand_set(draft, wanted, classes)
        void_without_device(draft)
    if wanted.demand:
        _serve(draft, wanted, classes, settings)
    return draft.outcome()


def mutate_adoptable(pod: Json, classes: Classes, settings: PodSettings, adopter: str) -> Outcome:
    """Return the same in a namespace that adopts: a pod without a class may get the class `adopter`."""
    draft = Draft(pod)
    if not isinstance(pod.get("spec"), dict):
        return draft.outcome()
    renamed = _rename(draft, ("spec",), classes)
    adopted = () if demand_of(draft.containers()) else adopt(draft, adopter, classes)
    check_amounts(draft, ("spec",), (*renamed, *adopted))
    wanted = asked(draft.containers(), classes)
    if wanted.demand:
        _serve(draft, wanted, classes, settings)
    return told(draft.outcome(), classes.readable[adopter]) if adopted else draft.outcome()


def rename_and_check(draft: Draft, spec_path: SpecPath, classes: Classes) -> tuple[str, ...]:
    """Rename what names a class, refuse what is nearly one or no amount. Returns the renamings, in words."""
    renamed = _rename(draft, spec_path, classes)
    check_amounts(draft, spec_path, renamed)
    return tuple(f"{item.typed} of {item.ref.title} as {item.stored}" for item in renamed)


def _rename(draft: Draft, spec_path: SpecPath, classes: Classes) -> tuple[Renaming, ...]:
    refuse_near(draft, spec_path, classes)
    refuse_pod_level(draft, spec_path, classes)
    return rename_requests(draft, spec_path, classes)


def _serve(draft: Draft, wanted: Asked, classes: Classes, settings: PodSettings) -> None:
    refuse_unusable(draft, wanted, classes)
    ask_vendor(draft, wanted)
    set_scheduler(draft, settings)
    require_nodes(draft, wanted)
    add_tolerations(draft, wanted)
    set_runtime_class(draft, wanted)
    set_environment(draft, wanted)
