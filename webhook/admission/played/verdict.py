"""What the played API server and the webhook say to each other, and how a create request ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from webhook.core.outcome import Change
from webhook.core.values.names import Json


class Party(StrEnum):
    """Who refused."""

    WEBHOOK = "webhook"
    SERVER = "API server"
    POLICY = "admission policy"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a webhook said: the response of an AdmissionReview, its patch decoded.

    `changes` say in words what the patch does and why; only an engine in the same process tells.
    """

    allowed: bool
    code: int = 0
    reason: str = ""
    message: str = ""
    patch: Sequence[Json] = ()
    warnings: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


class Webhook(Protocol):
    """The webhook as the API server sees it."""

    def review(self, path: str, review: Json) -> Answer:
        """Post an AdmissionReview to a path such as `/mutate`."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a create request ended.

    `sent` is the object as it was written, `received` the same with the defaults that the server fills in
    before it asks anybody, `document` as it would be stored, or as far as it got.
    """

    sent: Json
    received: Json
    document: Json
    code: int = 201
    reason: str = ""
    message: str = ""
    refused_by: Party | None = None
    warnings: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def admitted(self) -> bool:
        """Whether the object was stored."""
        return self.refused_by is None
