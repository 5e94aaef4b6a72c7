"""What `explain` knows of a pod: each collection is read once, and what may not be read is said."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from webhook.cli import explain_collections as collections
from webhook.cli.survey import survey
from webhook.cluster.api import ApiError
from webhook.cluster.listing import Resource
from webhook.cluster.reads import Reads
from webhook.cluster.resources import QUOTAS
from webhook.core.explain.family import Family, is_about, wanted_pods
from webhook.core.explain.scene import Devices, Scene
from webhook.core.explain.told import Told
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.raw import as_text, at
from webhook.core.values.demand import demand
from webhook.core.values.names import Json

T = TypeVar("T")
_FORBIDDEN: Final = 403


class Reader:
    """Reads around one namespace. Lack of rights is noted in `unread`; everything else is raised."""

    def __init__(self, reads: Reads, namespace: str, wall: Callable[[], float] | None) -> None:
        """`wall` tells the time; None for a folder, whose Leases are from another time."""
        self._reads = reads
        self._namespace = namespace
        self._wall = wall
        self.unread: list[str] = []

    def pod(self, name: str) -> Json | None:
        """Read the pod; without the right to, nothing can be said, and ApiError is raised."""
        return self._reads.one(collections.POD, name, self._namespace)

    def scene(self, pod: Json) -> Scene:
        """Read what is around a pod: of one that asks for no class nothing but its events."""
        name, uid = as_text(at(pod, "metadata").get("name")), as_text(at(pod, "metadata").get("uid"))
        events = self._allowed(lambda: self._reads.all(collections.events_about(name), self._namespace))
        own = [event for event in events or () if event.uid in ("", uid) or not uid]
        if not demand(pod.get("spec")):
            return Scene(pod, events=own, unread=self.unread)
        waits = not at(pod, "spec").get("nodeName")
        nodes = self._whole(collections.NODES) if waits else None
        leases = self._whole(collections.LEASES) if waits else None
        now = self._wall() if self._wall else None
        return Scene(
            pod=pod,
            devices=self.devices(),
            nodes=None if nodes is None else {str(at(node, "metadata").get("name")): node for node in nodes},
            quotas=self._allowed(lambda: self._reads.all(QUOTAS, self._namespace)),
            leases=None if leases is None else [collections.lease_of(item, now) for item in leases],
            events=own,
            unread=self.unread,
        )

    def devices(self) -> Devices | None:
        """Read classes, devices and pods."""
        seen = self._allowed(lambda: survey(self._reads))
        if seen is None:
            return None
        pods: dict[str, list[PodEntry]] = {}
        for pod in seen.pods:
            pods.setdefault(pod.entry.node, []).append(pod.entry)
        return Devices(
            classes=seen.classes,
            nodes=seen.nodes,
            holdings=seen.holdings,
            pods=pods,
            terminating=frozenset(pod.entry.title for pod in seen.pods if pod.is_terminating),
        )

    def workload(self, kind: str, name: str) -> Json | None:
        """Read a workload of a kind, or without one of any kind."""
        kinds = [kind] if kind else list(collections.WORKLOADS)
        for each in kinds:
            resource = collections.WORKLOADS[each]
            found = self._allowed(lambda: self._reads.one(resource, name, self._namespace))  # noqa: B023
            if found is not None:
                return {**found, "kind": resource.kind}
        return None

    def family(self, workload: Json) -> tuple[Family, Sequence[Json]]:
        """Read the pods of a workload, and what its controllers were refused."""
        kind, name = as_text(workload.get("kind")).lower(), as_text(at(workload, "metadata").get("name"))
        owners = [(kind, name)]
        between = collections.BETWEEN.get(kind)
        if between is not None:
            found = self._allowed(lambda: self._reads.all(between, self._namespace)) or ()
            owners += [
                (between.kind.lower(), as_text(at(item, "metadata").get("name")))
                for item in found
                if collections.is_owned_by(item, owners[:1])
            ]
        pods = self._allowed(lambda: self._reads.all(collections.POD, self._namespace)) or ()
        own = [pod for pod in pods if collections.is_owned_by(pod, owners)]
        about = {f"{each}/{called}" for each, called in owners}
        refusals = [event for event in self.refusals() if event.about in about]
        title = f"{kind} {self._namespace}/{name}"
        return Family(title, wanted_pods(workload), _unfinished(own), refusals), own

    def refusals(self) -> Sequence[Told]:
        """Read what controllers of the namespace were refused."""
        return self._allowed(lambda: self._reads.all(collections.REFUSALS, self._namespace)) or ()

    def refusals_of(self, name: str) -> Sequence[Told]:
        """Read what was said of refusing a pod that is not there: by its controller, or by the webhook."""
        by_webhook = self._allowed(lambda: self._reads.all(collections.BY_WEBHOOK, self._namespace)) or ()
        return [told for told in (*self.refusals(), *by_webhook) if is_about(told, name)]

    def _whole(self, resource: Resource[T]) -> Sequence[T] | None:
        """Read a collection of the cluster; None where it may not be read, or a folder has nothing of it."""
        found = self._allowed(lambda: self._reads.all(resource))
        return found if found or self._wall else None

    def _allowed(self, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except ApiError as error:
            if error.status != _FORBIDDEN:
                raise
            self.unread.append(f"not looked at: {error}")
            return None


def _unfinished(pods: Sequence[Json]) -> int:
    return sum(at(pod, "status").get("phase") not in ("Succeeded", "Failed") for pod in pods)
