"""One Lease of coordination.k8s.io, as leader election reads and writes it."""

from datetime import UTC, datetime
from typing import Final

from webhook.cluster.api import Api, ApiError
from webhook.cluster.listing import Resource, keep_whole, read_one
from webhook.core.raw import at
from webhook.core.values.names import Json

# A renewal is two requests; both fit between the one before and the end of a term (election.py).
LEASE_SECONDS: Final = 4.0


LEASES: Final[Resource[Json]] = Resource("Lease", "/apis/coordination.k8s.io/v1", "leases", keep_whole)


class Leases:
    """The Lease of one name. Raises ClusterUnavailable, with the API server's status ApiError."""

    def __init__(self, api: Api, namespace: str, name: str) -> None:
        self._api = api
        self._namespace = namespace
        self._name = name

    def read(self) -> Json | None:
        """Read the Lease; None if there is none."""
        return read_one(self._api, LEASES.path(self._namespace, self._name), LEASE_SECONDS)

    def write(self, before: Json | None, spec: Json) -> bool:
        """Store the spec in the place of what was read; False if somebody else wrote meanwhile."""
        if before is None:
            metadata: Json = {"namespace": self._namespace, "name": self._name}
            method, path = "POST", LEASES.path(self._namespace)
        else:
            # With its resourceVersion, which is what makes this a compare-and-swap.
            metadata = at(before, "metadata")
            method, path = "PUT", LEASES.path(self._namespace, self._name)
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": metadata,
            "spec": spec,
        }
        try:
            self._api.send(method, path, lease, LEASE_SECONDS)
        except ApiError as error:
            if error.status in {404, 409}:
                return False
            raise
        return True


class NoLease:
    """For a controller that is the only one: it may always write."""

    def read(self) -> Json | None:
        """There is none."""
        return None

    def write(self, before: Json | None, spec: Json) -> bool:  # noqa: ARG002 - the signature of Leases
        """Nobody else writes."""
        return True


def micro_time(seconds: float) -> str:
    """Return a moment as a Lease has it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
