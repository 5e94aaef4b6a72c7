"""Why a pod waits, or what it has: the rules put together."""

from collections.abc import Iterator
from typing import Final

from webhook.core.explain.answer import Candidate, ClassNeed, Explanation, State, Verdict
from webhook.core.explain.bound import bound_verdict, held_devices
from webhook.core.explain.candidates import candidates
from webhook.core.explain.needs import needs
from webhook.core.explain.pending import before_placement
from webhook.core.explain.placement import Place, placement
from webhook.core.explain.scene import Scene
from webhook.core.explain.told import Told, latest, scheduling_condition
from webhook.core.raw import as_text, at
from webhook.core.values.usage import FINISHED

MOST_TOLD: Final = 5


def explain_pod(scene: Scene) -> Explanation:
    """Explain how a pod stands."""
    own = needs(scene)
    nodes = _candidates(scene)
    return Explanation(
        subject=scene.title,
        verdict=_verdict(scene, own, nodes),
        classes=own,
        nearest=nodes[0] if nodes and not scene.node else None,
        nodes=len(nodes),
        held=held_devices(scene),
        told=_told(scene),
        notes=tuple(_notes(scene, own)),
    )


def _candidates(scene: Scene) -> tuple[Candidate, ...]:
    if scene.node or scene.devices is None or not scene.demand or scene.requests.unknown:
        return ()
    return candidates(scene, scene.devices)


def _verdict(scene: Scene, own: tuple[ClassNeed, ...], nodes: tuple[Candidate, ...]) -> Verdict:
    phase = as_text(at(scene.pod, "status").get("phase"))
    if phase in FINISHED:
        return _finished(scene, phase)
    if not scene.demand:
        return _no_class(scene)
    if scene.node:
        return bound_verdict(scene)
    found = before_placement(scene)
    if found is not None:
        return found
    if scene.devices is None:
        return Verdict(
            State.UNDECIDED,
            f"{scene.title} waits, and which devices are free may not be read with this account",
            ("ask somebody who may list pods, nodes, resourceclasses and extendedresources",),
        )
    return placement(Place(scene, scene.devices, own, nodes))


def _finished(scene: Scene, phase: str) -> Verdict:
    status = at(scene.pod, "status")
    why = ": ".join(filter(None, (as_text(status.get("reason")), as_text(status.get("message")))))
    headline = f"{scene.title} has ended ({phase}{f', {why}' if why else ''}) and holds no device any more"
    return Verdict(State.FINISHED if phase == "Succeeded" else State.FAILED, headline)


def _no_class(scene: Scene) -> Verdict:
    where = f"it is on {scene.node}" if scene.node else "it waits for something else"
    return Verdict(
        State.NO_CLASS,
        f"{scene.title} asks for no class of device, so nothing here has a part in it: {where}",
        () if scene.node else ("kubectl describe pod says what its scheduler thinks",),
    )


def _told(scene: Scene) -> tuple[Told, ...]:
    """Return what was said, the pod's condition only where no event says the same."""
    condition = None if scene.node else scheduling_condition(scene.pod)
    said = {item.message for item in scene.events}
    more = [condition] if condition and condition.message not in said else []
    return latest([*scene.events, *more], MOST_TOLD)


def _notes(scene: Scene, own: tuple[ClassNeed, ...]) -> Iterator[str]:
    """Say what is worth knowing beside the verdict."""
    for need in own:
        for quota in need.quotas:
            if quota.left is None:
                yield (
                    f"quota {quota.quota} is not computed for {need.name} yet: new pods are refused until "
                    "kube-controller-manager has done so"
                )
    for item in held_devices(scene):
        if scene.devices is not None and not item.is_member:
            yield f"{item.device} does not belong to class {item.class_name} as both are now"
    if scene.node and at(scene.pod, "metadata").get("deletionTimestamp"):
        yield "the pod is being deleted and holds its devices until it is gone"
    yield from scene.unread
