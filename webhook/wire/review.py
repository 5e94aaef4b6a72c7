"""AdmissionReview, as the API server posts it: bytes to a `Request`.

The shape is admission.k8s.io/v1 (k8s.io/api/admission/v1, types.go). Everything that the rules do not
need stays out; the objects stay raw JSON, so that a field nobody here knows is never lost.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import orjson

from webhook.core.errors import BadReview
from webhook.core.raw import as_list, as_mapping, as_text, at
from webhook.core.values.names import Json

API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"
OPERATIONS: Final = frozenset({"CREATE", "UPDATE", "DELETE", "CONNECT"})

# orjson reads 1,024 levels and writes 254; the rules recurse, and Python stops at 1,000 frames. The
# deepest field of a pod lies at about 15.
MAX_DEPTH: Final = 254

# The name of a namespace is a DNS-1123 label. It becomes part of the paths that are read, and whoever can
# reach the webhook may post a review.
_NAMESPACE: Final = re.compile(r"(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)?")


@dataclass(frozen=True, slots=True)
class Request:
    """One question of the API server.

    `group` and `kind` are those of the object (after conversion to what the webhook's rules name);
    `name` is empty while the API server has not generated it yet. `object` is absent on DELETE,
    `old_object` on CREATE.
    """

    uid: str
    operation: str
    group: str
    kind: str
    sub_resource: str
    namespace: str
    name: str
    user: str
    groups: tuple[str, ...]
    object: Json | None
    old_object: Json | None
    dry_run: bool

    @property
    def document(self) -> Json:
        """The object that the question is about: the new one, or on DELETE the old one."""
        return self.object if self.object is not None else self.old_object or {}

    @property
    def title(self) -> str:
        """The object's name, or what its name will start with."""
        metadata = at(self.document, "metadata")
        return self.name or as_text(metadata.get("name")) or as_text(metadata.get("generateName"))


def parse(body: bytes) -> Request:
    """Read the body of an admission call.

    Raises BadReview, which names the field at fault, for anything that is no AdmissionReview.
    """
    review = _decode(body)
    if not isinstance(review, dict):
        raise BadReview("the body must be a JSON object of kind AdmissionReview")
    found = review.get("apiVersion"), review.get("kind")
    if found != (API_VERSION, KIND):
        raise BadReview(
            f"apiVersion and kind are {found[0]!r} and {found[1]!r}; only {API_VERSION} {KIND} is understood:"
            " list v1 in admissionReviewVersions"
        )
    return _request(_mapping(review, "request", "request"))


def _decode(body: bytes) -> Any:
    if not body:
        raise BadReview("the body is empty; an AdmissionReview in JSON is expected")
    try:
        review = orjson.loads(body)
        # A document with fewer brackets than MAX_DEPTH cannot be too deep, and counting them is cheap.
        if body.count(b"{") + body.count(b"[") > MAX_DEPTH:
            orjson.dumps(review)
    except orjson.JSONDecodeError as error:
        raise BadReview(f"the body is not JSON: {error}") from error
    except TypeError as error:
        raise BadReview(f"the body is nested deeper than {MAX_DEPTH} levels") from error
    return review


def _request(request: Json) -> Request:
    operation = _text(request, "operation")
    if operation not in OPERATIONS:
        known = ", ".join(sorted(OPERATIONS))
        raise BadReview(f"request.operation is {operation!r}; it must be one of {known}")
    kind = _mapping(request, "kind", "request.kind")
    user = as_mapping(request.get("userInfo"))
    return Request(
        uid=_text(request, "uid"),
        operation=operation,
        group=as_text(kind.get("group")),
        kind=_text(kind, "kind", "request.kind."),
        sub_resource=as_text(request.get("subResource")),
        namespace=_namespace(request),
        name=as_text(request.get("name")),
        user=as_text(user.get("username")),
        groups=tuple(item for item in as_list(user.get("groups")) if isinstance(item, str)),
        object=_object(request, "object", required=operation in {"CREATE", "UPDATE"}),
        old_object=_object(request, "oldObject", required=False),
        dry_run=request.get("dryRun") is True,
    )


def _namespace(request: Json) -> str:
    """Return the namespace; empty for an object of the cluster."""
    name = as_text(request.get("namespace"))
    if _NAMESPACE.fullmatch(name) is None:
        raise BadReview(f"request.namespace is {name[:80]!r}, which cannot be the name of a namespace")
    return name


def _mapping(parent: Json, key: str, place: str) -> Json:
    value = parent.get(key)
    if not isinstance(value, dict):
        raise BadReview(f"{place} must be an object")
    return value


def _object(request: Json, key: str, *, required: bool) -> Json | None:
    value = request.get(key)
    if isinstance(value, dict):
        return value
    if value is not None:
        raise BadReview(f"request.{key} must be an object or null")
    if required:
        raise BadReview(f"request.{key} is missing; {request['operation']} must carry it")
    return None


def _text(parent: Json, key: str, prefix: str = "request.") -> str:
    value = parent.get(key)
    if not isinstance(value, str) or not value:
        raise BadReview(f"{prefix}{key} must be a text that is not empty")
    return value
