"""Which pods would have to go for another one to be served by a node's devices.

Whom it may hit is the caller's to say: pods of lower priority, those that matter least first. What is counted
here are devices: a pod that holds none that the new pod can use is never a victim.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice
from typing import Final

from webhook.core.placement.node import NodeDevices, Strangers, loaded
from webhook.core.placement.place import fits
from webhook.core.placement.requests import PodRequests
from webhook.core.placement.uses import Use

# A trial costs some 20 us, and preemption asks about up to 100 nodes at once: 500 trials for each are a
# second. They are enough for every set of eight pods (a pod per device of a common node), and for three of
# 14.
TRIAL_LIMIT: Final = 500


@dataclass(frozen=True, slots=True)
class Holder:
    """A pod on the node, what it takes of the devices, and what it takes of them nobody knows where."""

    key: str
    uses: tuple[Use, ...]
    strangers: tuple[Strangers, ...] = ()


def victims(
    pod: PodRequests,
    devices: NodeDevices,
    staying: Iterable[Use],
    candidates: Sequence[Holder],
    strangers: Iterable[Strangers] = (),
) -> tuple[Holder, ...] | None:
    """Return the fewest candidates whose end lets the pod be served; None when even the end of all does not.

    `staying` and `strangers` are of those that stay. `candidates` come with those that matter least first; of
    sets of one size the one is taken whose most important member matters least. After TRIAL_LIMIT trials: a
    set of which no member can stay, though there may be a smaller one.
    """
    relevant = _relevant(pod, devices, candidates)
    trial = _Trial(pod, devices, tuple(staying), tuple(strangers), relevant, candidates)
    everyone = trial.relevant
    if not trial.is_enough(everyone):
        return None
    for chosen in islice(_sets_by_size(everyone), TRIAL_LIMIT):
        if trial.is_enough(chosen):
            return chosen
    return _reprieved(trial, everyone)


@dataclass(frozen=True, slots=True)
class _Trial:
    pod: PodRequests
    devices: NodeDevices
    staying: tuple[Use, ...]
    strangers: tuple[Strangers, ...]
    relevant: tuple[Holder, ...]
    candidates: Sequence[Holder]

    def is_enough(self, gone: Sequence[Holder]) -> bool:
        """Whether the pod fits once these holders are gone."""
        keys = {holder.key for holder in gone}
        stay = [holder for holder in self.candidates if holder.key not in keys]
        uses = chain(self.staying, *(holder.uses for holder in stay))
        strangers = chain(self.strangers, *(holder.strangers for holder in stay))
        return fits(self.pod, loaded(self.devices, uses, strangers=strangers)) is None


def _relevant(pod: PodRequests, devices: NodeDevices, candidates: Sequence[Holder]) -> tuple[Holder, ...]:
    useful = 0
    for request in pod.requests:
        useful |= devices.serving.get(request.class_name, 0)
    ids = {device.device_id for index, device in enumerate(devices.devices) if useful >> index & 1}
    return tuple(
        holder
        for holder in candidates
        if any(use.device in ids for use in holder.uses)
        or any(item.devices & useful for item in holder.strangers)
    )


def _sets_by_size(holders: Sequence[Holder]) -> Iterator[tuple[Holder, ...]]:
    """Yield the sets of holders, the small ones first, and of one size those of less important pods first."""
    yield ()
    for size in range(1, len(holders) + 1):
        for last in range(size - 1, len(holders)):
            for others in combinations(holders[:last], size - 1):
                yield (*others, holders[last])


def _reprieved(trial: _Trial, holders: Sequence[Holder]) -> tuple[Holder, ...]:
    """Let every holder stay that can, the most important first, as kube-scheduler's own preemption does."""
    gone = list(holders)
    for holder in reversed(holders):
        rest = [other for other in gone if other.key != holder.key]
        if trial.is_enough(rest):
            gone = rest
    return tuple(gone)
