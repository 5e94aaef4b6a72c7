"""What admission needs to know of a cluster: small read-only ports, one per question.

`webhook.cluster` implements them twice, over a real API server (watched caches) and over a folder of
manifests; both are held to the same contract tests. A port answers from memory unless its name says
`fresh`; a fresh read may raise ClusterUnavailable.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from webhook.core.values.classes import Classes
from webhook.core.values.device import DeviceKind
from webhook.core.values.names import Json
from webhook.core.values.usage import Usage


class ClassSource(Protocol):
    """The ResourceClasses of the cluster."""

    def classes(self) -> Classes:
        """Return all known classes, the unreadable ones with their faults."""

    def classes_in_doubt(self) -> bool:
        """Whether memory may be behind by more than a moment: then what is asked for is to be read afresh."""

    def fresh_class(self, name: str) -> Json | None:
        """Read one ResourceClass from the API server; None if it does not exist."""


class NamespaceSource(Protocol):
    """The labels of namespaces, which carry the admins' policy."""

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Return the labels of a namespace (read afresh when it is not known yet); empty if there is none."""

    def fresh_namespace_labels(self, name: str) -> Mapping[str, str]:
        """Read the labels of a namespace from the API server now; empty if there is none."""


class QuotaSource(Protocol):
    """The ResourceQuota objects of a namespace, raw."""

    def quotas(self, namespace: str) -> Sequence[Json]:
        """Return the quotas of a namespace as last seen by the watch."""

    def fresh_quotas(self, namespace: str) -> Sequence[Json]:
        """Read the quotas of a namespace from the API server now."""


class UsageSource(Protocol):
    """Who uses a class."""

    def usage(self, class_name: str, namespace: str | None = None) -> Sequence[Usage]:
        """Return the unfinished pods that ask for a class, in one namespace or (None) in all."""


class DeviceSource(Protocol):
    """Which kinds of device the cluster has."""

    def device_kinds(self) -> Sequence[DeviceKind]:
        """Return the distinct kinds of device with their counts; empty when no inventory exists."""


class Cluster(ClassSource, NamespaceSource, QuotaSource, UsageSource, DeviceSource, Protocol):
    """Everything that admission asks."""

    def not_ready(self) -> Sequence[str]:
        """Return what is not synced yet, in words; empty when every question can be answered."""
