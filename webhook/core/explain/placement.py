"""Why no node takes a pod, or that one would: from the nodes with its devices and the scheduler's words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from webhook.core.explain.answer import Candidate, ClassNeed, State, Verdict
from webhook.core.explain.scene import Devices, Scene
from webhook.core.explain.shown import complaint
from webhook.core.explain.told import scheduler_said
from webhook.core.text import list_of, plural
from webhook.core.values.names import node_label

_MOST_PODS: Final = 3
_MOST_NODES: Final = 3


@dataclass(frozen=True, slots=True)
class Place:
    """What the rules look at: the pod, its classes, and the nodes in the order of their nearness."""

    scene: Scene
    devices: Devices
    needs: Sequence[ClassNeed]
    candidates: Sequence[Candidate]

    @property
    def nearest(self) -> Candidate:
        """The node that comes closest."""
        return self.candidates[0]


Rule = Callable[[Place], Verdict | None]


def placement(place: Place) -> Verdict:
    """Return why the pod waits for a place."""
    return next((found for rule in _RULES if (found := rule(place)) is not None), None) or _in_use(place)


def _no_device(place: Place) -> Verdict | None:
    for need in place.needs:
        if need.supply is not None and not need.supply.devices:
            return Verdict(
                State.NO_DEVICE,
                f"{place.scene.title} asks for class {need.name}, and no device in the cluster belongs to it",
                (
                    *_complaints(place.scene),
                    f"look what the class selects: kubectl get rclass {need.name} -o yaml",
                    "look which devices there are: kubectl get er -o yaml",
                ),
            )
    if place.candidates:
        return None
    names = list_of(need.name for need in place.needs)
    return Verdict(
        State.NEVER_FITS,
        f"no node can ever serve {place.scene.title}: none has devices of {names} together",
        ("ask for the classes in pods of their own",),
    )


def _complaints(scene: Scene, only: str = "") -> Iterator[str]:
    """Yield what the controller says of nodes whose devices it does not show, or of one of them."""
    nodes = (scene.nodes or {}).items()
    told = ((name, complaint(node)) for name, node in nodes if only in ("", name))
    yield from islice((f"of {name} the controller says {text}" for name, text in told if text), _MOST_NODES)


def _has_room(place: Place) -> Verdict | None:
    nearest = place.nearest
    if nearest.obstacles:
        return None
    said = scheduler_said(place.scene.pod, place.scene.events)
    title = place.scene.title
    if said is None:
        return Verdict(
            State.HAS_ROOM,
            f"{nearest.node} has room for {title}, and the scheduler has not spoken of it yet",
            ("wait some seconds; if nothing happens, look into the logs of the scheduler",),
        )
    return Verdict(
        State.HAS_ROOM,
        f"{nearest.node} has devices for {title}: what it waits for is something else, or passes in seconds. "
        f"The scheduler said: {said.message}",
        (
            "about cpu, memory or volumes: the pod waits for those",
            "about the extender: look whether the binder beside the scheduler is ready",
        ),
    )


def _excluded(place: Place) -> Verdict | None:
    nearest = place.nearest
    if not nearest.gates:
        return None
    why = f"{nearest.node} {list_of(nearest.gates)}"
    if nearest.lacks:
        return Verdict(
            State.EXCLUDED,
            f"{place.scene.title} may go to none of the {plural(len(place.candidates), 'node')} with devices "
            f"of its classes: {why}, and has none free either",
            tuple(_open(nearest)),
        )
    fitting = sum(not item.lacks for item in place.candidates)
    others = f" ({fitting - 1} more like it)" if fitting > 1 else ""
    return Verdict(
        State.EXCLUDED,
        f"devices are free for {place.scene.title}, but not where it may go: {why}{others}",
        tuple(_open(nearest)),
    )


def _open(nearest: Candidate) -> Iterator[str]:
    text = " ".join(nearest.gates)
    if "cordoned" in text:
        yield f"if the node may be used again: kubectl uncordon {nearest.node}"
    if "taint" in text:
        yield "tolerate the taint in the pod, or in spec.pod.tolerations of the class for all of its pods"
    if "nodeSelector" in text or "affinity" in text:
        yield "widen the pod's nodeSelector or node affinity, or wait for devices on the nodes that it names"
    if "no node" in text:
        yield "its devices are left from a node that is gone: kubectl get er"


def _not_shown(place: Place) -> Verdict | None:
    nearest = place.nearest
    if nearest.lacks or not nearest.hidden:
        return None
    label = node_label(next(iter(place.scene.demand.units)))
    return Verdict(
        State.NOT_SHOWN,
        f"{nearest.node} has devices for {place.scene.title}, but the scheduler cannot see it: the node "
        f"{list_of(nearest.hidden)}",
        (
            *_complaints(place.scene, nearest.node),
            f"look whether the controller runs, which writes the label {label} and the allocatable",
        ),
    )


def _blocked(place: Place) -> Verdict | None:
    nearest = place.nearest
    if not nearest.is_blocked:
        return None
    pods = [item for item in place.devices.holdings.damaged if item.node == nearest.node and item.blocks_node]
    names = list_of((f"{item.namespace}/{item.pod}" for item in pods), _MOST_PODS)
    return Verdict(
        State.NODE_BLOCKED,
        f"{nearest.node} takes no pod with devices, {place.scene.title} neither: the record of {names} "
        "is damaged",
        (f"delete {names}, or have an administrator write its record as it was",),
    )


def _never(place: Place) -> Verdict | None:
    nearest = place.nearest
    if not nearest.never:
        return None
    able = next((item for item in place.candidates if not item.never), None)
    if able is not None:
        return Verdict(
            State.EXCLUDED,
            f"no node to which {place.scene.title} may go can ever serve it; {able.node} could, but it "
            f"{list_of(able.gates)}",
            tuple(_open(able)),
        )
    return Verdict(
        State.NEVER_FITS,
        f"no node can ever serve {place.scene.title}, even when empty: on {nearest.node} {nearest.never}",
        ("ask for less in one pod, or add a node that has as much",),
    )


def _in_use(place: Place) -> Verdict:
    nearest = place.nearest
    apart = f"enough is free, but not on one node; on {nearest.node} {nearest.lacks}"
    short = [text for need in place.needs if (text := _shortage(need))] or [apart]
    return Verdict(
        State.IN_USE,
        f"no node can serve {place.scene.title} now: {'; '.join(short)}",
        tuple(_wait_or_mend(place)),
    )


def _shortage(need: ClassNeed) -> str:
    supply = need.supply
    if supply is None or supply.free >= need.units:
        return ""
    causes = {
        "in use": supply.in_use,
        "unhealthy": supply.unhealthy,
        "too small": supply.too_small,
        "on nodes with a damaged record": supply.blocked,
    }
    counted = ", ".join(f"{count} {cause}" for cause, count in causes.items() if count)
    free = f"{supply.free} free" if supply.free else "none free"
    return f"of {plural(supply.devices, 'device')} of {need.name} {counted}, {free}"


def _wait_or_mend(place: Place) -> Iterator[str]:
    holders = [holder for need in place.needs if need.supply for holder in need.supply.holders]
    pods = list(dict.fromkeys(holder.title for holder in holders))
    leaving = [title for title in pods if title in place.devices.terminating]
    if pods:
        yield f"wait until one of the pods that hold devices ends: {list_of(pods, _MOST_PODS)}"
    if leaving:
        yield (
            f"{list_of(leaving, _MOST_PODS)} {'is' if len(leaving) == 1 else 'are'} being deleted and held "
            "until gone: on a node that is lost, kubectl delete pod --force"
        )
    unhealthy = sum(need.supply.unhealthy for need in place.needs if need.supply)
    if unhealthy:
        yield f"mend {plural(unhealthy, 'unhealthy device')}: kubectl get er -o wide"


_RULES: Final[tuple[Rule, ...]] = (_no_device, _has_room, _excluded, _not_shown, _never, _blocked)
