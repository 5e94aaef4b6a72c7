"""The settings of `resourceclass controller`."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from webhook.cli.settings.cluster import ClusterSettings
from webhook.cli.settings.lease import half_a_lease
from webhook.serve.settings import HealthSettings


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """`resourceclass controller`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    lease_namespace: Annotated[str, "NAME"] = ""
    """Namespace of the Lease whose holder writes. Default "": there is one controller only, and it writes."""
    lease_name: Annotated[str, "NAME"] = ""
    """Name of that Lease. Default "": none."""
    identity: Annotated[str, "TEXT"] = ""
    """What stands in the Lease, with a `_` and chance behind it. Default "": this machine's host name."""
    threads: int = 4
    """Objects that are worked on at once, each with one request to the API server at a time; at least 1."""
    double_allocations: Literal["report", "evict-newest"] = "report"
    """What happens when pods hold more of a device than it has: report tells of it, evict-newest also evicts
    the pod that was bound last."""
    resync_seconds: float = 600.0
    """How often everything is looked at again, though nothing has changed; at least 1."""
    remove_unused_classes: bool = False
    """Delete a class of the controller's own once no device belongs to it and no pod asks for it."""
    serve: HealthSettings = field(default_factory=HealthSettings)

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, the parts' own problems included."""
        found = list(half_a_lease(self.lease_namespace, self.lease_name))
        if self.threads < 1:
            found.append(f"threads is {self.threads}: must be at least 1")
        if self.resync_seconds < 1:
            found.append(f"resync_seconds is {self.resync_seconds}: must be at least 1")
        return [*self.cluster.problems(), *found, *self.serve.problems()]
