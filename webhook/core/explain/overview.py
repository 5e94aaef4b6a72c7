"""All classes of a cluster in rows: what there is, who waits, and what is wrong with a class."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from webhook.core.explain.supply import NO_SUPPLY, Supply, supply
from webhook.core.inventory.holdings import Holdings, over_held
from webhook.core.placement.node import Node
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.text import list_of, plural
from webhook.core.values.classes import Classes
from webhook.core.values.demand import demand
from webhook.core.values.resource_class import ResourceClass
from webhook.core.values.usage import Usage

Kinds = Mapping[tuple[tuple[str, str], ...], int]
"""The properties of devices that some selector reads, and how many devices have these."""


class Mark(StrEnum):
    """What is the matter with a class; the words are stable."""

    OK = "ok"
    NO_DEVICE = "no device"  # its selector matches nothing
    UNREADABLE = "unreadable"
    UNKNOWN = "no such class"  # pods ask for it all the same


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One class. `waiting` are the units of pods without a node, by pod; `problems` are sentences."""

    name: str
    mark: Mark
    supply: Supply = NO_SUPPLY
    share_memory_bytes: int | None = None
    waiting: tuple[Usage, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """All rows, by name, and what is wrong beside the classes."""

    rows: tuple[ClassRow, ...]
    problems: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and all(row.mark is Mark.OK and not row.problems for row in self.rows)


def overview(
    classes: Classes,
    nodes: Sequence[Node],
    pods: Iterable[PodEntry],
    holdings: Holdings,
    problems: Sequence[str] = (),
) -> Overview:
    """Put the rows together. `problems` are those of the reading, and come first."""
    waiting: dict[str, list[Usage]] = {}
    for pod in pods:
        for name, units in demand(pod.spec).units.items() if not pod.node else ():
            waiting.setdefault(name, []).append(Usage(pod.namespace, pod.name, name, units))
    found = _Cluster(classes, nodes, _kinds(classes, nodes), holdings)
    rows = [
        _row(name, found, tuple(waiting.get(name, ())))
        for name in sorted({*classes.readable, *classes.broken, *waiting})
    ]
    return Overview(tuple(rows), (*problems, *_of_devices(nodes, holdings)))


@dataclass(frozen=True, slots=True)
class _Cluster:
    classes: Classes
    nodes: Sequence[Node]
    kinds: Kinds
    holdings: Holdings


def _row(name: str, found: _Cluster, waiting: tuple[Usage, ...]) -> ClassRow:
    classes = found.classes
    known = classes.get(name)
    if known is not None:
        return _readable(known, found, waiting)
    if name in classes.broken:
        return ClassRow(name, Mark.UNREADABLE, waiting=waiting, problems=classes.broken[name])
    meant = classes.closest(name)
    hint = f"; is {meant} meant?" if meant else ""
    problem = f"asked for by {plural(len(waiting), 'pod')}, and there is no such class{hint}"
    return ClassRow(name, Mark.UNKNOWN, waiting=waiting, problems=(problem,))


def _readable(known: ResourceClass, found: _Cluster, waiting: tuple[Usage, ...]) -> ClassRow:
    own = supply(known, found.nodes, found.holdings)
    mark = Mark.OK if own.devices else Mark.NO_DEVICE
    problems = _unreadable_values(known, found.kinds)
    if mark is Mark.NO_DEVICE and not problems:
        problems = ("no device matches its selector",)
    return ClassRow(known.name, mark, own, known.share_memory_bytes, waiting, problems)


def _kinds(classes: Classes, nodes: Iterable[Node]) -> Kinds:
    """Count the devices by the properties that some selector reads: thousands are of a few kinds."""
    keys = sorted({part.key for item in classes.all() for term in item.selector.terms for part in term})
    return Counter(
        tuple((key, device.properties[key]) for key in keys if key in device.properties)
        for node in nodes
        for device in node.devices.devices
    )


def _unreadable_values(resource_class: ResourceClass, kinds: Kinds) -> tuple[str, ...]:
    """Return which values of devices the selector could not compare, each once, with how many have it."""
    found: Counter[str] = Counter()
    for properties, count in kinds.items():
        for text in resource_class.selector.unreadable(dict(properties)):
            found[text] += count
    return tuple(f"{plural(count, 'device')}: {text}" for text, count in sorted(found.items()))


def _of_devices(nodes: Iterable[Node], holdings: Holdings) -> Iterable[str]:
    for node in nodes:
        for device in node.devices.devices:
            held = holdings.of(device.node, device.device_id)
            told = over_held(device, held)
            if told is not None:
                yield f"{device.node}/{device.device_id}, held by {list_of(held.pods)}: {told}"
    for item in holdings.damaged:
        problems = "; ".join(item.problems)
        yield f"the record of {item.namespace}/{item.pod} on {item.node} is damaged: {problems}"
