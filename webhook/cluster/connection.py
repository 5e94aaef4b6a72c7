"""Raw JSON requests to one API server: bounded in time and size, with credentials that may rotate.

This is the one door of foreign errors: whatever urllib3, TLS or the JSON reader raises leaves here as
ClusterUnavailable with its cause, a refusal of the API server as ApiError.
"""

import logging
import ssl
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Final, TypeVar

import orjson
import urllib3

from webhook.cluster import pooled
from webhook.cluster.api import READ_SECONDS, ApiError, Query
from webhook.cluster.asked import Asked
from webhook.cluster.configuration import Access, load_access
from webhook.cluster.http_answer import Answer
from webhook.cluster.kept import CONNECT_SECONDS
from webhook.cluster.stream import EventStream
from webhook.core.errors import BadInput, ClusterUnavailable
from webhook.core.values.names import Json

# 500 objects of 1.5 MiB, the most that etcd stores, would be larger; but no quota, class or pod is.
MAX_ANSWER_BYTES: Final = 256 * 2**20
_REFUSAL_BYTES: Final = 16 * 1024
# Reading the credentials anew may start an exec plugin, which a wrong token must not do at every request.
RELOAD_SECONDS: Final = 10.0

_log = logging.getLogger(__name__)


class Connection:
    """Requests to one API server, safe for many threads. Make it after a fork, never before."""

    def __init__(self, kubeconfig: str | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a kubeconfig file, or None for the service account of this pod. Raises BadInput."""
        self._kubeconfig = kubeconfig
        self._clock = clock
        self._lock = Lock()
        self._access = load_access(kubeconfig, clock)
        self._loaded_at = clock()

    @property
    def server(self) -> str:
        """The address of the API server, for messages."""
        return self._access.server

    def get(self, path: str, query: Query | None = None, seconds: float = READ_SECONDS) -> Json:
        """Read one JSON document. The wait for the first byte is at most `seconds`, the whole twice that."""
        return self._exchange(Asked("GET", path, query), seconds)

    def send(
        self,
        method: str,
        path: str,
        document: Json,
        seconds: float = READ_SECONDS,
        query: Query | None = None,
    ) -> Json:
        """Write: POST, PUT, PATCH (STRATEGIC: by the rules of the type) or DELETE, and return the answer.

        It may arrive twice: a request whose connection breaks is sent again.
        """
        return self._exchange(Asked(method, path, query, orjson.dumps(document)), seconds)

    def watch(self, path: str, query: Query, silence_seconds: float) -> EventStream:
        """Open a watch that breaks after `silence_seconds` without a byte."""
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=silence_seconds)
        asked = Asked("GET", path, query)
        response = self._open(asked, lambda access: pooled.open_response(access, asked, lambda: timeout))
        return EventStream(response, lambda error: self._broken(path, error))

    def close(self) -> None:
        """Close the idle connections."""
        self._access.close()

    def _exchange(self, asked: Asked, seconds: float) -> Json:
        until = self._clock() + seconds
        answer = self._open(asked, lambda access: self._answered(access, asked, until - self._clock()))
        try:
            document = orjson.loads(answer.body)
        except orjson.JSONDecodeError as error:
            raise self._unavailable(asked, error) from error
        if not isinstance(document, dict):
            raise self._unavailable(asked, OSError("the answer is JSON, but no object"))
        return document

    def _answered(self, access: Access, asked: Asked, seconds: float) -> Answer:
        if seconds <= 0:  # a write that comes later than promised may meet the writes of another leader
            raise TimeoutError("no time was left to ask again with the credentials that were read anew")
        if access.kept is not None:
            return access.kept.exchange(asked, access.headers(), seconds, MAX_ANSWER_BYTES)
        return pooled.exchange(access, asked, seconds, MAX_ANSWER_BYTES, self._clock)

    def _open(self, asked: Asked, send: "Callable[[Access], A]") -> "A":
        """Send a request and return the answer; that of a watch is only begun.

        When the two sides do not know each other (401, or TLS fails) the credentials are read anew, once:
        tokens, certificates and authorities rotate.
        """
        access = self._access
        answer = _try(send, access)
        if _is_unknown(answer) and self._reload(access):
            answer = _try(send, self._access)
        if isinstance(answer, Exception):
            raise self._unavailable(asked, answer) from answer
        if answer.status >= 300:
            raise self._refused(answer, asked)
        return answer

    def _reload(self, stale: Access) -> bool:
        """Read the credentials anew unless another thread has, or it was tried a moment ago."""
        with self._lock:
            if self._access is not stale:
                return True
            if self._clock() - self._loaded_at < RELOAD_SECONDS:
                return False
            self._loaded_at = self._clock()
            try:
                self._access = load_access(self._kubeconfig, self._clock)
            except BadInput as error:
                _log.warning("credentials could not be read anew: %s", error)
                return False
            stale.close()
            return True

    def _refused(self, answer: "Answer | urllib3.BaseHTTPResponse", asked: Asked) -> ApiError:
        message = _status_message(answer.body if isinstance(answer, Answer) else _refusal(answer))
        text = f"{self.server} answered {answer.status} to {asked}: {message or answer.reason}"
        return ApiError(text + _remedy(answer.status, asked), answer.status)

    def _unavailable(self, asked: Asked, error: Exception) -> ClusterUnavailable:
        return ClusterUnavailable(f"{self.server} did not answer {asked}: {_in_words(error)}")

    def _broken(self, path: str, error: Exception) -> ClusterUnavailable:
        return ClusterUnavailable(f"the watch of {path} at {self.server} broke: {_in_words(error)}")


A = TypeVar("A", Answer, urllib3.BaseHTTPResponse)
_VERBS: Final[Mapping[str, str]] = {
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}


def _try(send: Callable[[Access], A], access: Access) -> A | Exception:
    """Return the answer, or what kept it from coming."""
    try:
        return send(access)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return error


def _is_unknown(answer: Answer | urllib3.BaseHTTPResponse | Exception) -> bool:
    if isinstance(answer, Exception):
        return isinstance(answer, urllib3.exceptions.SSLError | ssl.SSLError)
    return answer.status == 401


def _refusal(response: urllib3.BaseHTTPResponse) -> bytes:
    """Return what a watch is refused with, and give its connection up."""
    try:
        return response.read(_REFUSAL_BYTES)
    except (urllib3.exceptions.HTTPError, OSError):
        return b""
    finally:
        response.close()


def _status_message(body: bytes) -> str:
    try:
        return str(orjson.loads(body)["message"])
    except (ValueError, TypeError, KeyError):
        return ""


def _remedy(status: int, asked: Asked) -> str:
    match status:
        case 401:
            return "; the token or certificate is not accepted: renew the kubeconfig or the service account"
        case 403:
            verbs = _VERBS.get(asked.verb, "get, list and watch")
            return f"; grant the account of this process {verbs} on it (chart: rbac)"
    return ""


def _in_words(error: BaseException) -> str:
    """Return the innermost cause: urllib3 wraps what the socket said two or three times."""
    for inner in (*error.args, getattr(error, "reason", None), error.__cause__):
        if isinstance(inner, Exception):
            return _in_words(inner)
    return str(error) or type(error).__name__
