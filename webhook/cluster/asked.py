"""What is asked of an API server in one request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from webhook.cluster.api import STRATEGIC, Query

_JSON: Final = "application/json"
_TYPES: Final[Mapping[str, str]] = {
    "PATCH": "application/merge-patch+json",
    STRATEGIC: "application/strategic-merge-patch+json",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A method (STRATEGIC is a PATCH), a path with its query, and where it writes a document in JSON."""

    method: str
    path: str
    query: Query | None = None
    body: bytes | None = None

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"

    @property
    def verb(self) -> str:
        """The method as HTTP has it."""
        return "PATCH" if self.method == STRATEGIC else self.method

    @property
    def target(self) -> str:
        """The path with the query, encoded."""
        return self.path + (f"?{urlencode(self.query)}" if self.query else "")

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that belong to the document."""
        return {"Content-Type": _TYPES.get(self.method, _JSON)} if self.body is not None else {}
