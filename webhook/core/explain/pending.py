"""Why a pod waits that no device is the reason of: the first rule that applies speaks."""

from collections.abc import Callable
from typing import Final

from webhook.core.explain.answer import State, Verdict
from webhook.core.explain.scene import Scene
from webhook.core.explain.told import scheduler_said
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.text import list_of
from webhook.core.values.names import DEFAULT_SCHEDULER, SCHEDULER, WEBHOOK_LABEL

Rule = Callable[[Scene], Verdict | None]
_NAMES_ANOTHER: Final = "delete it and create it again without schedulerName"
# The API server writes the default one into pods that name none.
_NEVER_REWRITTEN: Final = (
    "delete it and create it again: the webhook, which has not seen it, then names the scheduler of classes "
    "(`resourceclass check -f FILE` shows what a manifest becomes)"
)


def before_placement(scene: Scene) -> Verdict | None:
    """Return why nobody looks for a place yet; None when the scheduler does."""
    return next((found for rule in _RULES if (found := rule(scene)) is not None), None)


def _terminating(scene: Scene) -> Verdict | None:
    if at(scene.pod, "metadata").get("deletionTimestamp") is None:
        return None
    finalizers = as_list(at(scene.pod, "metadata").get("finalizers"))
    held = (
        f"; it stays until its finalizers are removed: {list_of(map(str, finalizers))}" if finalizers else ""
    )
    return Verdict(State.TERMINATING, f"{scene.title} is being deleted and will not be placed{held}")


def _gated(scene: Scene) -> Verdict | None:
    names = [as_text(as_mapping(item).get("name")) for item in as_list(scene_spec(scene, "schedulingGates"))]
    if not names:
        return None
    return Verdict(
        State.GATED,
        f"{scene.title} waits for {list_of(names)}: the scheduler does not look at it before these "
        "scheduling gates are gone",
        ("whoever set the gates removes them from spec.schedulingGates; devices are not the reason",),
    )


def _foreign_scheduler(scene: Scene) -> Verdict | None:
    name = as_text(scene_spec(scene, "schedulerName")) or DEFAULT_SCHEDULER
    if name == SCHEDULER:
        return None
    return Verdict(
        State.FOREIGN_SCHEDULER,
        f"{scene.title} is left to the scheduler {name}, which gives no devices",
        (
            _NEVER_REWRITTEN if name == DEFAULT_SCHEDULER else _NAMES_ANOTHER,
            f"look whether the label {WEBHOOK_LABEL}: ignore, on it or its namespace, keeps the webhook away",
        ),
    )


def _unknown_class(scene: Scene) -> Verdict | None:
    if scene.devices is None:
        return None
    classes = scene.devices.classes
    for name in sorted(scene.demand.units):
        if name in classes.broken:
            problems = "; ".join(classes.broken[name])
            return Verdict(
                State.UNREADABLE_CLASS,
                f"{scene.title} asks for class {name}, which cannot be read: {problems}",
                (f"the owner of the class mends it: kubectl edit rclass {name}",),
            )
        if not classes.exists(name):
            meant = classes.closest(name)
            remedy = f"delete the pod and ask for {meant}" if meant else "see `resourceclass classes`"
            return Verdict(
                State.UNKNOWN_CLASS,
                f"{scene.title} asks for class {name}, which does not exist",
                (f"{remedy}; or create the class again",),
            )
    return None


def _no_scheduler(scene: Scene) -> Verdict | None:
    leases = scene.leases
    if leases is None or any(lease.is_held for lease in leases):
        return None
    if not leases:
        if scheduler_said(scene.pod, scene.events) is not None:
            return None  # a scheduler without leader election has no Lease, and this one has been heard of
        return Verdict(
            State.NO_SCHEDULER,
            f"no scheduler has looked at {scene.title}, and there is no Lease {SCHEDULER} in any namespace",
            (f"install the chart with scheduler.enabled=true, or start the scheduler {SCHEDULER}",),
        )
    lease = leases[0]
    gone = f"was last renewed {lease.age_seconds or 0:.0f} s ago, by {lease.holder}"
    why = gone if lease.holder else "has no holder"
    return Verdict(
        State.NO_SCHEDULER,
        f"no scheduler of class pods runs: the Lease {lease.place} {why}",
        (
            f"kubectl -n {lease.place.partition('/')[0]} get pods -l app.kubernetes.io/component=scheduler",
            "look into the logs of both containers, scheduler and binder",
        ),
    )


def _preempting(scene: Scene) -> Verdict | None:
    node = as_text(at(scene.pod, "status").get("nominatedNodeName"))
    if not node:
        return None
    return Verdict(
        State.PREEMPTING,
        f"{scene.title} waits for {node}, where pods of lower priority are being evicted for it",
        (f"if it lasts, see which do not end: kubectl get pods -A --field-selector spec.nodeName={node}",),
    )


def scene_spec(scene: Scene, field: str) -> object:
    """Return a field of the pod's spec."""
    return at(scene.pod, "spec").get(field)


_RULES: Final[tuple[Rule, ...]] = (
    _terminating,
    _gated,
    _foreign_scheduler,
    _unknown_class,
    _preempting,
    _no_scheduler,
)
