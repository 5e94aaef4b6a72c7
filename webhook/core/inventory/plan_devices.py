"""What is to be done about the device objects of one node, so that they say what its labels say.

Labels count at once the first time, and in whatever they add. What they take away or change is not believed
at once:

- labels gone: the devices are Unhealthy (`LabelsMissing`) and well again as soon as the same labels return;
  after MISSING_SECONDS without them the objects go
- labels changed: the devices that changed are Unhealthy (`LabelsChanging`) until the labels have said the
  same for CHANGING_SECONDS. A node whose labels flap between two models never settles
- what a pod holds stays as an object until it is released

Where somebody else writes device objects for the node, such as the node agent, these are believed and the
labels are not. The state is a `Settling` that the caller keeps in memory: to lose it costs one more wait.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from webhook.core.inventory.class_objects import is_ours
from webhook.core.inventory.device_changes import (
    LABELS_CHANGING,
    LABELS_MISSING,
    SUPERSEDED,
    Facts,
    device_id,
    facts,
    facts_of,
    health_patch,
    reason_of,
    spec_patch,
)
from webhook.core.inventory.device_objects import device_object, is_from_labels, owner_uid
from webhook.core.inventory.label_sources import DeviceSpec, LabelDevices, label_devices
from webhook.core.inventory.node_condition import DEVICES_KNOWN, NodeVerdict
from webhook.core.raw import as_text, at, name_of
from webhook.core.text import plural
from webhook.core.values.names import Json

# A driver that is upgraded takes the labels away for some minutes, and brings them back.
MISSING_SECONDS: Final = 600.0
# GPU feature discovery writes its labels anew each minute; five times in a row they have to agree.
CHANGING_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class Settling:
    """What labels say that contradict the objects, and since when. `is_changing` until they have settled."""

    said: tuple[Facts, ...]
    since_seconds: float
    is_changing: bool


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """What is to be written, in this order. Patches are merge patches by the name of the object.

    `delete` holds the objects as they were seen: delete them by name and UID. `retry_seconds` is when to plan
    again even if nothing changes.
    """

    delete: tuple[Json, ...] = ()
    create: tuple[Json, ...] = ()
    spec_patches: Mapping[str, Json] = field(default_factory=dict)
    status_patches: Mapping[str, Json] = field(default_factory=dict)
    retry_seconds: float | None = None
    verdict: NodeVerdict | None = None
    warnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to write to the device objects."""
        return bool(self.delete or self.create or self.spec_patches or self.status_patches)


def plan_devices(
    node: Json,
    objects: Sequence[Json],
    held: Collection[str],
    settling: Settling | None,
    now_seconds: float,
) -> tuple[DevicePlan, Settling | None]:
    """Return what to write for one node, and the state to hand in the next time.

    `objects` are all ExtendedResources of the node's name, `held` the ids of devices that pods hold there,
    `now_seconds` the reading of any clock that does not jump.
    """
    uid = as_text(at(node, "metadata").get("uid"))
    strangers, others, ours = _sorted_out(objects, uid)
    if others:
        return _superseded(strangers, ours, held, len(others)), None
    comparison = _Comparison(node, label_devices(node), strangers, ours, held)
    state = comparison.next_state(settling, now_seconds)
    if state is None:
        return comparison.written(""), None
    left = state.since_seconds + (CHANGING_SECONDS if state.said else MISSING_SECONDS) - now_seconds
    reason = LABELS_CHANGING if state.is_changing else LABELS_MISSING
    if left > 0:
        return comparison.waiting(reason, left), state
    return comparison.written(reason), state


def plan_gone_node(objects: Iterable[Json]) -> tuple[Json, ...]:
    """Return which objects go when their Node does not exist: ours, whichever part of us has made them."""
    return tuple(obj for obj in objects if is_ours(obj))


def _sorted_out(objects: Iterable[Json], uid: str) -> tuple[list[Json], list[Json], dict[str, Json]]:
    """Return our objects of an earlier Node of the name, those that others write, and ours by device id."""
    strangers, others, ours = [], [], {}
    for obj in objects:
        if is_ours(obj) and owner_uid(obj) not in ("", uid):
            strangers.append(obj)
        elif is_from_labels(obj):
            ours[device_id(obj)] = obj
        else:
            others.append(obj)
    return strangers, others, ours


def _superseded(
    strangers: list[Json], ours: Mapping[str, Json], held: Collection[str], others: int
) -> DevicePlan:
    stay = {key: obj for key, obj in ours.items() if key in held}
    patches = {name_of(obj): health_patch(obj, SUPERSEDED, is_held=True) for obj in stay.values()}
    return DevicePlan(
        delete=(*strangers, *(obj for key, obj in ours.items() if key not in stay)),
        status_patches={name: patch for name, patch in patches.items() if patch},
        verdict=NodeVerdict(True, DEVICES_KNOWN, f"{plural(others, 'device')}, as their objects say"),
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What the labels of a node say, held against the objects that were made from them."""

    node: Json
    found: LabelDevices
    strangers: Sequence[Json]
    ours: Mapping[str, Json]
    held: Collection[str]

    @property
    def wanted(self) -> dict[str, DeviceSpec]:
        """What the labels say, by device id."""
        return {item.device_id: item for item in self.found.devices}

    @property
    def doubtful(self) -> set[str]:
        """Our devices that the labels take away or change."""
        said = {key: _facts(item) for key, item in self.wanted.items()}
        return {key for key, obj in self.ours.items() if said.get(key) != facts_of(obj)}

    @property
    def marked(self) -> set[str]:
        """Our devices whose labels were seen to change: the objects remember it, for another process too."""
        return {key for key, obj in self.ours.items() if reason_of(obj) == LABELS_CHANGING}

    def next_state(self, settling: Settling | None, now: float) -> Settling | None:
        """Return what is to settle; None where labels and objects agree."""
        said = tuple(sorted(_facts(item) for item in self.found.devices))
        contradicts = bool(self.doubtful) and bool(said or self.found.refusal)
        is_changing = bool(self.marked) or contradicts or (settling is not None and settling.is_changing)
        if not self.ours or not (self.doubtful or is_changing):
            return None
        since = settling.since_seconds if settling and settling.said == said else now
        state = Settling(said, since, is_changing)
        is_over = now >= since + (CHANGING_SECONDS if said else MISSING_SECONDS)
        return None if is_over and not (self.doubtful or self.marked) else state

    def waiting(self, reason: str, left: float) -> DevicePlan:
        """Return what to write before the labels are believed: what they contradict is not offered."""
        doubtful = self.doubtful | (self.marked if reason == LABELS_CHANGING else set())
        patches = {
            name_of(obj): health_patch(obj, reason if key in doubtful else "", is_held=key in self.held)
            for key, obj in self.ours.items()
        }
        return DevicePlan(
            delete=tuple(self.strangers),
            status_patches={name: patch for name, patch in patches.items() if patch},
            retry_seconds=left,
            verdict=self._verdict(reason if doubtful else "", len(doubtful)),
            warnings=self.found.warnings,
        )

    def written(self, reason: str) -> DevicePlan:
        """Return what to write once the labels are believed. What they deny stays while a pod holds it."""
        wanted = self.wanted
        kept = {key for key in self.doubtful if key in self.held}
        gone = [obj for key, obj in self.ours.items() if key not in wanted and key not in kept]
        spec_patches, status_patches = {}, {}
        for key, obj in self.ours.items():
            if key in kept:
                patch = health_patch(obj, reason, is_held=True)
            elif key in wanted:
                spec_patches[name_of(obj)] = spec_patch(obj, wanted[key])
                patch = health_patch(obj, "", is_held=key in self.held)
            else:
                continue
            status_patches[name_of(obj)] = patch
        return DevicePlan(
            delete=(*self.strangers, *gone),
            create=tuple(device_object(self.node, wanted[key]) for key in wanted if key not in self.ours),
            spec_patches={name: patch for name, patch in spec_patches.items() if patch},
            status_patches={name: patch for name, patch in status_patches.items() if patch},
            verdict=self._verdict(reason if kept else "", len(kept)),
            warnings=self.found.warnings,
        )

    def _verdict(self, reason: str, doubtful: int) -> NodeVerdict | None:
        refusal = self.found.refusal
        if refusal:
            return NodeVerdict(False, refusal.reason, refusal.message)
        if reason:
            return NodeVerdict(False, reason, _waiting_text(reason, doubtful))
        if not self.found.devices:
            return None
        known = f"{plural(len(self.found.devices), 'device')}, as the labels of {self.found.source} say"
        return NodeVerdict(True, DEVICES_KNOWN, "; ".join([known, *self.found.warnings]))


def _waiting_text(reason: str, doubtful: int) -> str:
    if reason == LABELS_MISSING:
        return (
            f"the labels of {plural(doubtful, 'device')} are gone: nobody gets them until the labels return, "
            f"and after {MISSING_SECONDS:.0f} s their objects go, once no pod holds them"
        )
    return (
        f"the labels of {plural(doubtful, 'device')} have changed: nobody gets them until the labels say the "
        f"same for {CHANGING_SECONDS:.0f} s and no pod holds them; if the labels keep changing, the node "
        "holds several models: run the node agent there"
    )


def _facts(spec: DeviceSpec) -> Facts:
    return facts(spec.device_id, spec.raw_resource, spec.properties)
