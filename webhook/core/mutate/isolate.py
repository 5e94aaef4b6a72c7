"""Pods of isolated namespaces: nobody there sees a device that was not given to them.

Reads: resources and env of all containers, ephemeral ones too. Changes: env. Every container without a
device request gets NVIDIA_VISIBLE_DEVICES=void, and a device variable that was set by hand is refused,
because it would override what the webhook or a device plugin sets.
"""

from collections.abc import Iterable
from typing import Any, Final

from webhook.core.mutate.asked import Asked, asked
from webhook.core.mutate.draft import Draft
from webhook.core.mutate.environment import VOID, asks_for_device, own_variables, put_first, variable_name
from webhook.core.mutate.requests import rename_requests
from webhook.core.outcome import Outcome, Reason
from webhook.core.patch import same
from webhook.core.raw import as_list, at
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.containers import EPHEMERAL_CONTAINERS, ContainerRef, containers
from webhook.core.values.names import Json

_WHY_VOID: Final = "the namespace is isolated, and the container asks for no device"


def mutate_isolated(pod: Json, classes: Classes, old: Json | None = None) -> Outcome:
    """Return what a pod becomes in an isolated namespace, whether it asks for a class or not.

    With `old` it is an update, which can only add ephemeral containers: those alone are looked at.
    """
    draft = Draft(pod)
    spelled = Draft(pod)  # counted by the stored names, which the pod may get in another call
    rename_requests(spelled, ("spec",), classes)
    refs = spelled.containers() if old is None else _added(pod, old)
    wanted = asked(spelled.containers(), classes)
    _refuse(draft, refs, wanted, classes)
    _void(draft, refs)
    return draft.outcome()


def refuse_hand_set(draft: Draft, wanted: Asked, classes: Classes) -> None:
    """Refuse device variables that somebody else than the webhook has set, in a pod that is created."""
    _refuse(draft, draft.containers(), wanted, classes)


def void_without_device(draft: Draft) -> None:
    """Give `void` to each container that asks for no device, in a pod that is created."""
    _void(draft, draft.containers())


def _added(pod: Json, old: Json) -> list[ContainerRef]:
    known = {ref.name for ref in containers(at(old, "spec"), EPHEMERAL_CONTAINERS)}
    return [ref for ref in containers(at(pod, "spec"), EPHEMERAL_CONTAINERS) if ref.name not in known]


def _refuse(draft: Draft, refs: Iterable[ContainerRef], wanted: Asked, classes: Classes) -> None:
    variables = {names.NVIDIA_VISIBLE_DEVICES}.union(*(item.device_env for item in classes.all()))
    for ref in refs:
        allowed = [VOID, *own_variables(ref, wanted.of_container(ref))]
        for item in as_list(ref.container.get("env")):
            if variable_name(item) in variables and not _is_one_of(item, allowed):
                draft.fault(
                    Reason.HAND_SET_DEVICE,
                    f"{ref.title} sets {variable_name(item)}, which chooses devices; in an isolated "
                    "namespace only the webhook does that: take the variable out and ask for a class instead",
                )


def _void(draft: Draft, refs: Iterable[ContainerRef]) -> None:
    for ref in refs:
        if not asks_for_device(ref):
            put_first(draft, ref, [VOID], _WHY_VOID)


def _is_one_of(item: Any, allowed: Iterable[Json]) -> bool:
    return any(same(item, variable) for variable in allowed)
