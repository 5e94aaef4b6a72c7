"""What this room needs of an API server: raw JSON documents, and streams of watch events."""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

from webhook.core.errors import ClusterUnavailable
from webhook.core.values.names import Json

Query = Mapping[str, str | int]

# A page of 500 pods of 5 KB takes an API server well under a second; this is for one that is overloaded.
READ_SECONDS: Final = 30.0

# The method of a strategic merge patch, which merges lists such as the conditions of a Node by their keys.
# Only the types of Kubernetes itself know it.
STRATEGIC: Final = "PATCH strategic"


class ApiError(ClusterUnavailable):
    """The API server answered, but not with what was asked for. `status` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class EventSource(Protocol):
    """The events of one watch, as they come."""

    def __iter__(self) -> Iterator[Json]:
        """Yield events until the server ends the watch. Raises ClusterUnavailable when it breaks."""

    def interrupt(self) -> None:
        """End the iteration from another thread."""

    def close(self) -> None:
        """Give up the connection."""


class Api(Protocol):
    """Requests to one API server."""

    def get(self, path: str, query: Query | None = None, seconds: float = READ_SECONDS) -> Json:
        """Read one document within `seconds`. Raises ClusterUnavailable, with a status ApiError."""

    def send(
        self,
        method: str,
        path: str,
        document: Json,
        seconds: float = READ_SECONDS,
        query: Query | None = None,
    ) -> Json:
        """Write, and return what the API server answers. Raises ClusterUnavailable.

        POST an object, PUT one in the place of the stored one, PATCH one with what is to be merged into it
        (STRATEGIC: by the rules of its type), DELETE with DeleteOptions. It may arrive twice: a request whose
        connection breaks is sent again, within the same `seconds`.
        """

    def watch(self, path: str, query: Query, silence_seconds: float) -> EventSource:
        """Open a watch that breaks after `silence_seconds` without a byte. Raises ClusterUnavailable."""
