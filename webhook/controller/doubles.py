"""Devices that pods hold beyond what they can serve: told, and if wished ended by evicting the newest pod.

The binder gives no device out twice; records written by hand, or an etcd restored from a backup, can. Which
of the pods is wrong cannot be known. `report` leaves them all: the binder offers the device to nobody until
one is left. `evict-newest` takes the pod that was bound last for the wrong one, and asks for its eviction,
which a PodDisruptionBudget may refuse.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from webhook.controller.notices import Notices
from webhook.controller.writing import WRITE_SECONDS, Writer
from webhook.core.inventory.device_status import HELD_TWICE
from webhook.core.inventory.holdings import Held, Holdings, over_held
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.text import list_of
from webhook.core.values.extended_resource import ExtendedResource
from webhook.core.values.names import Json

Policy = Literal["report", "evict-newest"]
REPORT: Final[Policy] = "report"

MOST_PODS: Final = 10  # that a message names


class PodReader(Protocol):
    """Single pods. Raises ClusterUnavailable."""

    def read(self, namespace: str, name: str, seconds: float) -> Json | None:
        """Read a pod; None if there is none of this name."""


@dataclass(frozen=True, slots=True)
class Double:
    """A device that is held beyond what it can serve, and why that is so."""

    device: ExtendedResource
    held: Held
    reason: str


def doubles_among(devices: Iterable[ExtendedResource], holdings: Holdings) -> list[Double]:
    """Return the devices that pods hold beyond what they can serve."""
    found = ((device, holdings.of(device.node, device.device_id)) for device in devices)
    judged = ((device, held, over_held(device, held)) for device, held in found)
    return [Double(device, held, reason) for device, held, reason in judged if reason is not None]


class Doubles:
    """Acts on them by a policy."""

    def __init__(self, pods: PodReader, writer: Writer, notices: Notices, policy: Policy) -> None:
        self._pods = pods
        self._writer = writer
        self._notices = notices
        self._policy = policy

    def act(self, obj: Json, double: Double) -> None:
        """Tell of a device, given as its object too, and by the policy ask for an eviction."""
        message = f"{double.reason}: {list_of(double.held.pods, MOST_PODS)}"
        self._notices.tell(obj, HELD_TWICE, message)
        if self._policy == "evict-newest":
            self._evict(double.held)

    def _evict(self, held: Held) -> None:
        wanted = {(item.namespace, item.pod, item.uid) for item in held.holders}
        pods = [pod for key in sorted(wanted) if (pod := self._read(*key)) is not None]
        going = any(at(pod, "metadata").get("deletionTimestamp") for pod in pods)
        if len(pods) < 2 or going:
            return  # one by one: what is left is judged again when it is gone
        newest = at(max(pods, key=_bound), "metadata")
        self._writer.evict(newest["namespace"], newest["name"], newest["uid"])

    def _read(self, namespace: str, name: str, uid: str) -> Json | None:
        pod = self._pods.read(namespace, name, WRITE_SECONDS)
        return pod if pod is not None and at(pod, "metadata").get("uid") == uid else None


def _bound(pod: Json) -> tuple[str, str, str]:
    """Return what grows with the time at which a pod was bound, to the second, and then with its age."""
    metadata = at(pod, "metadata")
    conditions = map(as_mapping, as_list(at(pod, "status").get("conditions")))
    scheduled = (item for item in conditions if item.get("type") == "PodScheduled")
    since = as_text(next(scheduled, {}).get("lastTransitionTime"))
    return since, as_text(metadata.get("creationTimestamp")), as_text(metadata.get("uid"))
