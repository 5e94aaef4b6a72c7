"""What was read of a cluster, and what follows from it for several rules. All of it is of one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Final

from webhook.core.explain.scene import Lease
from webhook.core.inventory.holdings import Holdings, holdings_of
from webhook.core.placement.membership import Membership
from webhook.core.placement.pod_entry import PodEntry
from webhook.core.raw import as_text, at, name_of
from webhook.core.values.classes import Classes
from webhook.core.values.extended_resource import ExtendedResource, read_extended_resources
from webhook.core.values.names import Json

MUTATING: Final = "MutatingWebhookConfiguration"
VALIDATING: Final = "ValidatingWebhookConfiguration"
POLICY: Final = "ValidatingAdmissionPolicy"
BINDING: Final = "ValidatingAdmissionPolicyBinding"
DEFINITION: Final = "CustomResourceDefinition"
SCHEDULER_CONFIG: Final = "KubeSchedulerConfiguration"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate that the webhook serves, as a TLS client with a `caBundle` judges it.

    `problems` make calls fail now, `warnings` will do so later.
    """

    place: str
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Facts:
    """Raw objects by kind, but for pods and Leases, of which only what is needed was kept."""

    objects: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    pods: Sequence[PodEntry] = ()
    leases: Sequence[Lease] = ()
    certificates: Sequence[Certificate] = ()

    def of(self, kind: str) -> Sequence[Json]:
        """Return the objects of a kind; none where it was not read."""
        return self.objects.get(kind, ())

    def named(self, kind: str, name: str) -> Json | None:
        """Return the object of a name, in whichever namespace."""
        return next((obj for obj in self.of(kind) if name_of(obj) == name), None)

    @cached_property
    def classes(self) -> Classes:
        """All classes."""
        return Classes.of(self.of("ResourceClass"))

    @cached_property
    def membership(self) -> Membership:
        """Which devices belong to them."""
        return Membership(self.classes)

    @cached_property
    def read_devices(self) -> tuple[Sequence[ExtendedResource], Mapping[str, tuple[str, ...]]]:
        """The devices that can be read, and by the name of the object what is wrong with any."""
        return read_extended_resources(self.of("ExtendedResource"))

    @property
    def devices(self) -> Sequence[ExtendedResource]:
        """The devices that can be read."""
        return self.read_devices[0]

    @cached_property
    def devices_of_node(self) -> Mapping[str, Sequence[ExtendedResource]]:
        """The devices by node."""
        ordered = sorted(self.devices, key=lambda device: device.node)
        return {node: tuple(items) for node, items in groupby(ordered, key=lambda device: device.node)}

    @cached_property
    def pods_of_node(self) -> Mapping[str, Sequence[PodEntry]]:
        """The bound pods by node."""
        ordered = sorted((pod for pod in self.pods if pod.node), key=lambda pod: pod.node)
        return {node: tuple(items) for node, items in groupby(ordered, key=lambda pod: pod.node)}

    @cached_property
    def holdings(self) -> Holdings:
        """Who holds what."""
        return holdings_of(self.pods)

    @cached_property
    def quotas_of_namespace(self) -> Mapping[str, Sequence[Json]]:
        """The ResourceQuotas by namespace."""
        ordered = sorted(self.of("ResourceQuota"), key=namespace_of)
        return {name: tuple(items) for name, items in groupby(ordered, key=namespace_of)}

    @cached_property
    def namespace_labels(self) -> Mapping[str, Mapping[str, str]]:
        """The labels of each namespace. Every API server sets that of the name."""
        return {
            name_of(obj): {"kubernetes.io/metadata.name": name_of(obj), **at(obj, "metadata", "labels")}
            for obj in self.of("Namespace")
        }


def namespace_of(obj: Json) -> str:
    """Return the namespace of an object, empty for one of the cluster."""
    return as_text(at(obj, "metadata").get("namespace"))


def title(kind: str, obj: Json) -> str:
    """Return an object as places name it: `ResourceQuota team-a/limits`."""
    namespace = namespace_of(obj)
    return f"{kind} {namespace}/{name_of(obj)}" if namespace else f"{kind} {name_of(obj)}"
