"""Which containers of a pod run at one time.

Init containers run one after the other; a sidecar (an init container with restartPolicy Always) stays from
its start on; then all containers run together. As the kubelet's device manager does, devices of a finished
init container serve whatever comes later, and those of a sidecar never do.
"""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def moments(containers: Iterable[tuple[T, bool]]) -> tuple[tuple[T, ...], ...]:
    """Return what runs together: first the running pod, then each init container with the sidecars before it.

    `containers` come in the pod's order, init containers first, each with whether it ends before the next one
    starts. A moment with nothing in it is left out.
    """
    staying: list[T] = []
    steps: list[tuple[T, ...]] = []
    for item, ends in containers:
        if ends:
            steps.append((*staying, item))
        else:
            staying.append(item)
    return ((tuple(staying),) if staying else ()) + tuple(steps)
