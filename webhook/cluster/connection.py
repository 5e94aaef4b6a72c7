"""Raw JSON requests to one API server: bounded in time and size, with credentials that may rotate.

This is the one door of foreign errors: whatever urllib3, TLS or the JSON reader raises leaves here as
ClusterUnavailable with its cause, a refusal of the API server as ApiError.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final
from urllib.parse import urlencode

import orjson
import urllib3

from webhook.cluster.api import READ_SECONDS, STRATEGIC, ApiError, Query
from webhook.cluster.configuration import Access, load_access
from webhook.cluster.stream import EventStream
from webhook.core.errors import BadInput, ClusterUnavailable
from webhook.core.values.names import Json

CONNECT_SECONDS: Final = 5.0
# 500 objects of 1.5 MiB, the most that etcd stores, would be larger; but no quota, class or pod is.
MAX_ANSWER_BYTES: Final = 256 * 2**20
_CHUNK_BYTES: Final = 256 * 1024
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
        self._access = load_access(kubeconfig)
        self._loaded_at = clock()

    @property
    def server(self) -> str:
        """The address of the API server, for messages."""
        return self._access.server

    def get(self, path: str, query: Query | None = None, seconds: float = READ_SECONDS) -> Json:
        """Read one JSON document. The wait for the first byte is at most `seconds`, the whole twice that."""
        return self._exchange(_Asked("GET", path, query), seconds)

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
        return self._exchange(_Asked(method, path, query, orjson.dumps(document)), seconds)

    def watch(self, path: str, query: Query, silence_seconds: float) -> EventStream:
        """Open a watch that breaks after `silence_seconds` without a byte."""
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=silence_seconds)
        response = self._open(_Asked("GET", path, query), lambda: timeout)
        return EventStream(response, lambda error: self._broken(path, error))

    def close(self) -> None:
        """Close the idle connections."""
        self._access.pool.clear()

    def _exchange(self, asked: "_Asked", seconds: float) -> Json:
        deadline = self._clock() + seconds

        def left() -> urllib3.Timeout:
            # urllib3 takes no zero; a second attempt that comes too late fails at once.
            seconds_left = max(deadline - self._clock(), 0.001)
            return urllib3.Timeout(total=seconds_left, connect=min(CONNECT_SECONDS, seconds_left))

        response = self._open(asked, left)
        try:
            return self._document(response, deadline)
        except (urllib3.exceptions.HTTPError, OSError, orjson.JSONDecodeError) as error:
            response.close()
            raise self._unavailable(asked, error) from error
        finally:
            response.release_conn()

    def _open(self, asked: "_Asked", timeout: "_Timeouts") -> urllib3.BaseHTTPResponse:
        """Send a request and return the answer, its body unread. `timeout` says what is left per attempt.

        When the two sides do not know each other (401, or TLS fails) the credentials are read anew, once:
        tokens, certificates and authorities rotate.
        """
        access = self._access
        answer = _send(access, asked, timeout)
        if _is_unknown(answer) and self._reload(access):
            answer = _send(self._access, asked, timeout)
        if isinstance(answer, Exception):
            raise self._unavailable(asked, answer) from answer
        if answer.status >= 300:
            raise self._refused(answer, asked)
        return answer

    def _document(self, response: urllib3.BaseHTTPResponse, deadline: float) -> Json:
        chunks: list[bytes] = []
        size = 0
        for chunk in response.stream(_CHUNK_BYTES):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                raise OSError(f"an answer of more than {MAX_ANSWER_BYTES} bytes")
            if self._clock() > deadline:
                raise TimeoutError("the answer came too slowly")
        document = orjson.loads(b"".join(chunks))
        if not isinstance(document, dict):
            raise OSError("the answer is JSON, but no object")
        return document

    def _reload(self, stale: Access) -> bool:
        """Read the credentials anew unless another thread has, or it was tried a moment ago."""
        with self._lock:
            if self._access is not stale:
                return True
            if self._clock() - self._loaded_at < RELOAD_SECONDS:
                return False
            self._loaded_at = self._clock()
            try:
                self._access = load_access(self._kubeconfig)
            except BadInput as error:
                _log.warning("credentials could not be read anew: %s", error)
                return False
            return True

    def _refused(self, response: urllib3.BaseHTTPResponse, asked: "_Asked") -> ApiError:
        try:
            message = _status_message(response.read(_REFUSAL_BYTES))
        except (urllib3.exceptions.HTTPError, OSError):
            message = ""
        if response.length_remaining == 0:
            response.release_conn()
        else:
            response.close()  # whatever else it says, reading it would cost more than a new connection
        text = f"{self.server} answered {response.status} to {asked}: {message or response.reason}"
        return ApiError(text + _remedy(response.status, asked), response.status)

    def _unavailable(self, asked: "_Asked", error: Exception) -> ClusterUnavailable:
        return ClusterUnavailable(f"{self.server} did not answer {asked}: {_in_words(error)}")

    def _broken(self, path: str, error: Exception) -> ClusterUnavailable:
        return ClusterUnavailable(f"the watch of {path} at {self.server} broke: {_in_words(error)}")


_Timeouts = Callable[[], urllib3.Timeout]
_JSON: Final = "application/json"
_TYPES: Final[Mapping[str, str]] = {
    "PATCH": "application/merge-patch+json",
    STRATEGIC: "application/strategic-merge-patch+json",
}
_VERBS: Final[Mapping[str, str]] = {
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of the API server."""

    method: str
    path: str
    query: Query | None = None
    body: bytes | None = None

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"

    @property
    def verb(self) -> str:
        return "PATCH" if self.method == STRATEGIC else self.method

    @property
    def target(self) -> str:
        return self.path + (f"?{urlencode(self.query)}" if self.query else "")

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Content-Type": _TYPES.get(self.method, _JSON)} if self.body is not None else {}


def _send(access: Access, asked: _Asked, timeout: _Timeouts) -> urllib3.BaseHTTPResponse | Exception:
    """Return the answer, or what kept it from coming.

    A second attempt is for the kept connection that the server closed just as it was written to.
    """
    try:
        headers = {**access.headers(), **asked.headers}
        options = {
            "headers": headers,
            "body": asked.body,
            "retries": False,
            "preload_content": False,
        }
        url = access.server + asked.target
        try:
            return access.pool.request(asked.verb, url, timeout=timeout(), **options)
        except urllib3.exceptions.ProtocolError:
            return access.pool.request(asked.verb, url, timeout=timeout(), **options)
    except (urllib3.exceptions.HTTPError, OSError) as error:
        return error


def _is_unknown(answer: urllib3.BaseHTTPResponse | Exception) -> bool:
    if isinstance(answer, Exception):
        return isinstance(answer, urllib3.exceptions.SSLError)
    return answer.status == 401


def _status_message(body: bytes) -> str:
    try:
        return str(orjson.loads(body)["message"])
    except (ValueError, TypeError, KeyError):
        return ""


def _remedy(status: int, asked: _Asked) -> str:
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
