"""The settings of `resourceclass binder`."""

import socket
from dataclasses import dataclass, field
from typing import Annotated

from webhook.cli.settings.cluster import ClusterSettings
from webhook.cli.settings.lease import half_a_lease
from webhook.serve.settings import ServeSettings


@dataclass(frozen=True)
class BinderServeSettings(ServeSettings):
    """How the binder listens: beside the scheduler, and in one process, for there is one set of books."""

    host: Annotated[str, "ADDRESS"] = "127.0.0.1"
    """Address of the request port. The scheduler calls it within the pod, without TLS."""
    port: int = 9098
    """Request port. Zero: any free one (the log names it)."""
    workers: int = 1
    """Processes. One: two sets of books would give one device twice."""
    threads: int = 16
    """Requests that are worked on at once. A bind whose answer is lost holds one for up to 5 seconds."""
    max_wait_seconds: float = 0.0
    """Age at which a request that found no thread gets 503. Zero: never, for the scheduler would not repeat
    it."""
    drain_seconds: float = 0.0
    """After SIGTERM: how long to go on serving. Zero: stop at once, as the scheduler beside does."""
    graceful_seconds: int = 6
    """After the drain: how long requests that have begun may take; a bind takes 5 at most. Zero: they are
    cut off."""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each."""
        several = [f"workers is {self.workers}: must be 1, as two sets of books would give one device twice"]
        return [*(several if self.workers > 1 else []), *super().problems()]


@dataclass(frozen=True, slots=True)
class BinderSettings:
    """`resourceclass binder`."""

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    lease_namespace: Annotated[str, "NAME"] = ""
    """Namespace of the Lease that the scheduler holds (its leaderElection.resourceNamespace). Default "": the
    scheduler runs without leader election, and only once."""
    lease_name: Annotated[str, "NAME"] = ""
    """Name of that Lease (leaderElection.resourceName). Default "": none."""
    identity: Annotated[str, "TEXT"] = ""
    """What the holder of the Lease begins with, before a `_`, while it is the scheduler beside. Default "":
    this machine's host name, as kube-scheduler has it."""
    serve: BinderServeSettings = field(default_factory=BinderServeSettings)

    @property
    def holder(self) -> str:
        """What the holder of the Lease begins with; empty where no Lease is followed."""
        return (self.identity or socket.gethostname()) if self.lease_name else ""

    def problems(self) -> list[str]:
        """Return what is wrong, a sentence each, the parts' own problems included."""
        found = list(half_a_lease(self.lease_namespace, self.lease_name))
        if self.identity and not self.lease_name:
            found.append("identity is given without lease_name: nothing would be compared with it")
        return [*self.cluster.problems(), *found, *self.serve.problems()]
