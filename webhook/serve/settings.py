"""The settings of a server, and what an application hands to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from webhook.serve.limits import MAX_BODY_BYTES

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
else:
    WSGIApplication = Callable[[dict[str, Any], Any], Iterable[bytes]]

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")


def _nothing() -> None:
    """The default of hooks that an application does not need."""


class App(NamedTuple):
    """One application, made in each worker process after the fork.

    ``ready`` and ``tick`` run on the worker's main thread about twice a second: they look at memory and
    return.
    """

    wsgi: WSGIApplication
    ready: Callable[[], list[str]]
    """What is missing before requests can be answered rightly, a short sentence each; empty when ready."""
    tick: Callable[[], None] = _nothing
    """Refreshes what changes with time alone, such as the age of a cache."""
    close: Callable[[], None] = _nothing
    """Called once when the worker stops, after its last answer."""


AppFactory = Callable[[], App]
"""Called in every worker after the fork, so it may start threads; it does not wait for anything."""


@dataclass(frozen=True, slots=True)
class HealthSettings:
    """How a process listens that serves nothing but its health port."""

    health_host: Annotated[str, "ADDRESS"] = ""
    """Address of the health port. Default "": every address, as the kubelet probes the pod's own."""
    health_port: int = 8080
    """Port of /livez, /readyz and /metrics, plain HTTP. Zero: any free one (the log names it)."""
    log_level: Annotated[str, "LEVEL"] = "info"
    """debug, info, warning, error or critical."""
    run_dir: Annotated[str, "DIR"] = ""
    """Where the files of a run go, best on memory. Default "": /dev/shm, else the temporary directory."""

    def problems(self) -> list[str]:
        """All that is wrong with these settings, a sentence each, in the order of the fields."""
        found = [_not_a_port("health_port", self.health_port), _not_a_level(self.log_level)]
        return [problem for problem in found if problem]


@dataclass(frozen=True)
class ServeSettings:
    """How one server listens, how much it takes at once, and how it stops.

    Without ``tls_cert`` and ``tls_key`` the request port speaks plain HTTP, which is for loopback.
    """

    host: Annotated[str, "ADDRESS"] = ""
    """Address of the request port. Default "": every address of the machine, IPv4 and IPv6."""
    port: int = 8443
    """Request port. Zero: any free one (the log names it)."""
    health_host: Annotated[str, "ADDRESS"] = ""
    """Address of the health port. Default "": every address, as the kubelet probes the pod's own."""
    health_port: int = 8080
    """Port of /livez, /readyz and /metrics, plain HTTP. Zero: any free one (the log names it)."""
    tls_cert: Annotated[str, "FILE"] = ""
    """The certificate of the request port and its chain, in PEM; read again when it changes."""
    tls_key: Annotated[str, "FILE"] = ""
    """The private key of the certificate, in PEM, without passphrase; read again when it changes."""
    workers: int = 2
    """Processes. Two keep a replica answering while one restarts; at least 1."""
    threads: int = 8
    """Requests that one process works on at once. Connections need none while they are silent; at least 1."""
    max_connections: int = 1000
    """Open connections per process. Beyond, new ones wait in the kernel's queue; more than ``threads``."""
    max_in_flight: int = 256
    """Requests per process, waiting or worked on; more get 503. At 4 ms each these are a second's work."""
    max_wait_seconds: float = 1.0
    """Age at which a request that found no thread gets 503 and Retry-After: 1, so that one retry fits into
    the 3 seconds of the caller. Zero: never for its age."""
    max_body_bytes: int = MAX_BODY_BYTES
    """Largest request body; more gets 413 before it is read."""
    keepalive_seconds: int = 120
    """How long a silent connection stays open. Above the 90 seconds after which the API server closes it
    itself: it does not repeat a POST that meets a closing connection. Zero: every answer closes its
    connection."""
    heartbeat_seconds: int = 30
    """A worker whose main loop is silent for so long is replaced. Zero: never."""
    drain_seconds: float = 10.0
    """After SIGTERM: how long to go on serving, not ready, while endpoints move. Zero: stop at once."""
    graceful_seconds: int = 20
    """After the drain: how long requests that have begun may take. Zero: they are cut off."""
    start_wait_seconds: float = 10.0
    """How long a new worker waits to be ready before it accepts requests all the same (the application
    answers 503 then), and how long a reload keeps the old workers for it. Zero: not at all."""
    log_level: Annotated[str, "LEVEL"] = "info"
    """debug, info, warning, error or critical."""
    run_dir: Annotated[str, "DIR"] = ""
    """Where the files of a run go, best on memory. Default "": /dev/shm, else the temporary directory."""

    def problems(self) -> list[str]:
        """All that is wrong with these settings, a sentence each, in the order of the fields."""
        found = [_not_a_port(name, getattr(self, name)) for name in ("port", "health_port")]
        if bool(self.tls_cert) != bool(self.tls_key):
            missing, given = ("tls_key", "tls_cert") if self.tls_cert else ("tls_cert", "tls_key")
            found.append(f"{missing} is missing: {given} is given, and one is of no use without the other")
        found += [_too_small(name, getattr(self, name), 1) for name in _AT_LEAST_ONE]
        if self.max_connections <= self.threads:
            found.append(
                f"max_connections is {self.max_connections}: must be more than threads ({self.threads})"
            )
        found += [_too_small(name, getattr(self, name), 0) for name in _AT_LEAST_ZERO]
        found.append(_not_a_level(self.log_level))
        return [problem for problem in found if problem]


_AT_LEAST_ONE = ("workers", "threads", "max_in_flight", "max_body_bytes")
_AT_LEAST_ZERO = (
    "max_wait_seconds",
    "keepalive_seconds",
    "heartbeat_seconds",
    "drain_seconds",
    "graceful_seconds",
    "start_wait_seconds",
)


def _not_a_level(value: str) -> str:
    return "" if value in LOG_LEVELS else f"log_level is {value!r}: must be one of {', '.join(LOG_LEVELS)}"


def _not_a_port(name: str, value: int) -> str:
    return "" if 0 <= value <= 65535 else f"{name} is {value}: must be between 0 and 65535"


def _too_small(name: str, value: float, least: int) -> str:
    return "" if value >= least else f"{name} is {value}: must be at least {least}"
