"""What `doctor` knows of a cluster: each collection is read once, and what may not be read is said."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from webhook.cli import doctor_collections as collections
from webhook.cli.doctor_certificates import certificates, secret_names
from webhook.cli.explain_collections import lease_of
from webhook.cluster.api import ApiError
from webhook.cluster.device_pods import DEVICE_PODS
from webhook.cluster.listing import Resource
from webhook.cluster.reads import Reads, UnknownKind
from webhook.cluster.yaml_json import read_stream
from webhook.core.doctor.entries import entries
from webhook.core.doctor.facts import SCHEDULER_CONFIG, Facts
from webhook.core.doctor.parts import PARTS
from webhook.core.doctor.scheduler_config import CONFIG_KEY, CONFIG_MAP
from webhook.core.errors import BadInput
from webhook.core.explain.scene import Lease
from webhook.core.raw import as_mapping, as_text, at
from webhook.core.values.names import Json

T = TypeVar("T")
_FORBIDDEN: Final = 403
NOT_ALLOWED: Final = "not allowed to read it"
NOT_IN_FOLDER: Final = "the folder has none"


class DoctorReader:
    """Reads everything that the checks look at. Lack of rights is kept in `unread`, by kind."""

    def __init__(self, reads: Reads, wall: Callable[[], float], *, is_folder: bool = False) -> None:
        """Of a folder, what is not there is not known, and the age of its Leases means nothing."""
        self._reads = reads
        self._wall = wall
        self._is_folder = is_folder
        self.unread: dict[str, str] = {}

    def read(self) -> Facts:
        """Read once. Raises ClusterUnavailable."""
        self.unread = {}
        objects = {item.kind: self._all(item) for item in collections.COLLECTIONS}
        objects["Version"] = self._singles(collections.VERSION, "")
        objects[collections.DEFINITIONS.kind] = self._singles(
            collections.DEFINITIONS, *collections.DEFINITION_NAMES
        )
        objects[SCHEDULER_CONFIG] = _scheduler_configs(objects["ConfigMap"])
        pods, leases = self._all(DEVICE_PODS), self._leases()
        facts = Facts(objects, pods, leases)
        objects["EndpointSlice"] = self._endpoints(facts)
        secrets = self._secrets(facts)
        now = datetime.fromtimestamp(self._wall(), UTC)
        return Facts(objects, pods, leases, certificates(facts, secrets, now))

    def _all(self, resource: Resource[T]) -> Sequence[T]:
        try:
            found = self._reads.all(resource)
        except UnknownKind:
            return ()  # what defines the kind is looked at by a check of its own
        except ApiError as error:
            self._note(resource, error)
            return ()
        if not found and self._is_folder:
            self.unread[resource.kind] = NOT_IN_FOLDER
        return found

    def _one(self, resource: Resource[Any], name: str, namespace: str = "") -> Json | None:
        try:
            return self._reads.one(resource, name, namespace)
        except ApiError as error:
            self._note(resource, error)
            return None

    def _note(self, resource: Resource[Any], error: ApiError) -> None:
        if error.status != _FORBIDDEN:
            raise error
        self.unread[resource.kind] = NOT_ALLOWED

    def _singles(self, resource: Resource[Any], *names: str) -> Sequence[Json]:
        found = [obj for name in names if (obj := self._one(resource, name)) is not None]
        if not found and self._is_folder:
            self.unread[resource.kind] = NOT_IN_FOLDER
        return found

    def _leases(self) -> Sequence[Lease]:
        names = [part.lease for part in PARTS.values() if part.lease]
        found = [obj for name in names for obj in self._all(collections.leases_of(name))]
        if found:
            self.unread.pop("Lease", None)  # in a folder one may be there and the other not
        now = None if self._is_folder else self._wall()
        return [lease_of(obj, now) for obj in found]

    def _endpoints(self, facts: Facts) -> Sequence[Json]:
        names = {as_text(entry.service.get("name")) for entry in entries(facts) if entry.service}
        return self._all(collections.endpoints_of(names)) if names else ()

    def _secrets(self, facts: Facts) -> dict[tuple[str, str], Json | None]:
        """Return the Secrets of the webhook's certificate; None for one that is not there."""
        wanted = secret_names(facts)
        found = {(place, name): self._one(collections.SECRET, name, place) for place, name in wanted}
        if self._is_folder and not any(found.values()):
            self.unread[collections.SECRET.kind] = NOT_IN_FOLDER
        return found


def _scheduler_configs(config_maps: Sequence[Json]) -> Sequence[Json]:
    """Return the scheduler's configuration out of its ConfigMap; nothing of one that cannot be read."""
    texts = [
        as_text(at(item, "data").get(CONFIG_KEY))
        for item in config_maps
        if at(item, "metadata").get("name") == CONFIG_MAP
    ]
    try:
        read = [as_mapping(piece.value) for text in texts for piece in read_stream(text, CONFIG_KEY)]
    except BadInput:
        return ()
    return [item for item in read if item]
