"""The classes that a pod asks for, looked up; and the faults that no further rule can mend.

Reads: the stored class keys of containers and init containers. Changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from webhook.core.mutate.draft import Draft
from webhook.core.outcome import Reason
from webhook.core.values import names
from webhook.core.values.classes import Classes
from webhook.core.values.containers import ContainerRef
from webhook.core.values.demand import Demand, demand_of
from webhook.core.values.resource_class import ResourceClass


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pod asks for, and its readable classes by name, in alphabetical order."""

    demand: Demand
    classes: dict[str, ResourceClass]
    by_path: Mapping[tuple[str | int, ...], Mapping[str, int]]
    """What each container that asks for something asks for, by its path in the pod spec."""

    def of_container(self, ref: ContainerRef) -> tuple[ResourceClass, ...]:
        """Return the classes of which a container asks for at least one unit, in alphabetical order."""
        units = self.by_path.get(ref.path, {})
        return tuple(item for name, item in self.classes.items() if name in units)


def asked(refs: Iterable[ContainerRef], classes: Classes) -> Asked:
    """Look up what containers ask for. A class that does not exist or cannot be read is left out."""
    wanted = demand_of(refs)
    found = {name: item for name in sorted(wanted.units) if (item := classes.get(name)) is not None}
    return Asked(wanted, found, {item.ref.path: item.units for item in wanted.by_container})


def refuse_unusable(draft: Draft, wanted: Asked, classes: Classes) -> None:
    """Refuse classes that do not exist or cannot be read, and combinations that cannot be served."""
    for name, text in unusable(wanted.demand, classes):
        draft.fault(Reason.BROKEN_CLASS if name in classes.broken else Reason.UNKNOWN_CLASS, text)
    for item in wanted.demand.by_container:
        shares = [each.name for each in wanted.of_container(item.ref) if each.is_share]
        if len(shares) > 1:
            draft.fault(
                Reason.CONFLICTING_CLASSES,
                f"{item.ref.title} asks for {' and '.join(shares)}, which are both shares of a device; "
                "a container can use the share of one device only, so keep one of them",
            )
    _refuse_runtime_classes(draft, wanted)


def unusable(wanted: Demand, classes: Classes) -> Iterator[tuple[str, str]]:
    """Yield each class that is asked for and cannot be served, with who asks, why not, and what to do."""
    lacking = [(item.ref, name) for item in wanted.by_container for name in item.units if name not in classes]
    slips = classes.slips(name for _, name in lacking)
    for ref, name in lacking:
        yield name, f"{ref.title} asks for {_why_not(name, classes, slips)}"


def _why_not(name: str, classes: Classes, slips: Mapping[str, str]) -> str:
    if name in classes.broken:
        return f"class {name}, which cannot be read: {'; '.join(classes.broken[name])}"
    near = slips.get(name)
    remedy = (
        f"did you mean {names.stored_key(near)}?" if near else "kubectl get resourceclasses lists the classes"
    )
    return f'{names.stored_key(name)}, but there is no class "{name}"; {remedy}'


def _refuse_runtime_classes(draft: Draft, wanted: Asked) -> None:
    by_runtime: dict[str, str] = {}
    for name, item in wanted.classes.items():
        if item.runtime_class_name is not None:
            by_runtime.setdefault(item.runtime_class_name, name)
    if len(by_runtime) > 1:
        listed = " and ".join(f"{name} ({runtime})" for runtime, name in by_runtime.items())
        draft.fault(
            Reason.CONFLICTING_CLASSES,
            f"the pod asks for classes that need different runtime classes: {listed}; a pod has one, so use "
            "two pods",
        )
