"""What the verbs need of an API server and of the rest of the process."""

from typing import Protocol

from webhook.core.values.names import Json


class PodPort(Protocol):
    """Single pods. Raises ClusterUnavailable; an answer of the API server that is no yes is an ApiError."""

    def read(self, namespace: str, name: str, seconds: float) -> Json | None:
        """Read a pod; None if there is none of this name."""

    def bind(self, namespace: str, name: str, binding: Json, seconds: float) -> None:
        """POST a Binding, at most until `seconds` are over."""

    def wake(self, namespace: str, name: str, uid: str, seconds: float) -> None:
        """Change a pod's status, and nothing that matters in it, so that its scheduler tries it again."""


class EventPort(Protocol):
    """Where people are told of what only they can mend."""

    def tell(self, pod: Json, reason: str, message: str) -> None:
        """Write an Event about a pod. Raises ClusterUnavailable."""


class Relist(Protocol):
    """The list of pods, which can be ordered anew."""

    def relist(self) -> int:
        """Ask for a list that begins after this call; returns its number."""

    def has_listed(self, number: int) -> bool:
        """Whether the list of this number, or a later one, is complete."""


class Guard(Protocol):
    """Says whether this process may decide anything at the moment."""

    def check(self) -> None:
        """Raise NotReady, with the reason, if it may not."""
