"""How to reach an API server and be known to it, as the `kubernetes` package reads it.

The package is imported on first use: it costs 0.2 s and 20 MiB, which `check` without a cluster need not pay.
"""

import os
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies

import urllib3
import yaml

from webhook.cluster.impersonation import Headers, impersonation
from webhook.cluster.kept import KeptConnections
from webhook.cluster.yaml_json import unreadable
from webhook.core.errors import BadInput
from webhook.core.raw import as_text, value_at
from webhook.core.values.names import Json

# Five watches, and as many direct reads as a worker has threads (8 by default), with room.
POOL_CONNECTIONS: Final = 32
# A peer that has vanished without a word is given up after 15 s, on an idle watch as on a request: silence of
# 10 s is probed, and nothing may stay unanswered for 15 s. (Kernel defaults: two hours, and 15 minutes.)
_KEEPALIVE: Final = {"idle": 10, "interval": 5, "count": 3}
UNANSWERED_MILLISECONDS: Final = 15_000
# client-go never sends these through a proxy that it has from the environment; the package would.
_LOOPBACK: Final = "localhost,127.0.0.0/8,::1"


# The package asks the environment for proxies each time it is asked for a token, which takes a third as long
# as the read itself. Tokens are renewed minutes before they end.
HEADERS_SECONDS: Final = 1.0


class Pool(Protocol):
    """What is used of urllib3's pool managers."""

    def request(self, method: str, url: str, **options: Any) -> urllib3.BaseHTTPResponse:
        """Send a request."""

    def clear(self) -> None:
        """Drop the idle connections."""


class Access:
    """The address of an API server, connections to it, and the credentials of the moment."""

    def __init__(
        self,
        configuration: Any,
        pool: Pool,
        clock: Callable[[], float] = time.monotonic,
        kept: KeptConnections | None = None,
        impersonated: Headers = (),
    ) -> None:
        self._configuration = configuration
        self._impersonated = impersonated
        self._clock = clock
        self._headers: tuple[float, Mapping[str, str]] = (float("-inf"), {})
        self.pool = pool
        self.kept = kept
        """The quick way for reads; None where a proxy stands between, to which the pool knows the way."""
        self.server: str = configuration.host.rstrip("/")

    def close(self) -> None:
        """Close the idle connections."""
        self.pool.clear()
        if self.kept is not None:
            self.kept.close()

    def headers(self) -> Mapping[str, str]:
        """Return the headers of a request; the package reads a rotated token or runs an exec plugin when due.

        What it gave is used for HEADERS_SECONDS. A name may have several values: pass them on by `items()`.
        Raises OSError when it cannot.
        """
        now = self._clock()
        read_at, headers = self._headers
        if now - read_at >= HEADERS_SECONDS:
            headers = self._read_headers()
            self._headers = (now, headers)
        return headers

    def _read_headers(self) -> Mapping[str, str]:
        from kubernetes.config import ConfigException

        try:
            token = self._configuration.auth_settings().get("BearerToken")
        except ConfigException as error:
            raise OSError(f"no credentials: {error}") from error
        headers = urllib3.HTTPHeaderDict(Accept="application/json")
        headers["User-Agent"] = "resourceclass"
        if token and token["value"]:
            headers["Authorization"] = token["value"].strip()
        headers.extend(self._impersonated)
        return headers


def load_access(kubeconfig: str | None, clock: Callable[[], float] = time.monotonic) -> Access:
    """Read a kubeconfig file, or with None what Kubernetes gives to a pod. Raises BadInput."""
    from kubernetes.client.configuration import Configuration
    from kubernetes.client.rest import RESTClientObject

    configuration = Configuration()
    proxy_of_environment = configuration.proxy
    impersonated: Headers = ()
    if kubeconfig is None:
        _load_of_pod(configuration)
    else:
        impersonated = _load_of_file(configuration, kubeconfig)
    configuration.connection_pool_maxsize = POOL_CONNECTIONS
    configuration.socket_options = _socket_options()
    if configuration.proxy in (proxy_of_environment, *getproxies().values()):
        configuration.no_proxy = ",".join(filter(None, (_LOOPBACK, configuration.no_proxy)))
    try:
        pool = RESTClientObject(configuration).pool_manager
    except (OSError, ValueError) as error:
        raise BadInput(f"{_origin(kubeconfig)}: {error}") from error
    direct = type(pool) is urllib3.PoolManager  # those that know a proxy are of derived types
    kept = KeptConnections(configuration.host, pool.connection_pool_kw, clock) if direct else None
    return Access(configuration, pool, clock, kept, impersonated)


def context_namespace(kubeconfig: str) -> str:
    """Return the namespace of the current context of a kubeconfig file that `load_access` has read."""
    from kubernetes.config import list_kube_config_contexts

    _, current = list_kube_config_contexts(kubeconfig)  # type: ignore[no-untyped-call]
    return as_text(value_at(current, ("context", "namespace")))


def _socket_options() -> list[tuple[int, int, int]]:
    from kubernetes.utils.keepalive import tcp_keepalive_socket_options

    options = list(tcp_keepalive_socket_options(**_KEEPALIVE))
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux has it; a command line elsewhere does without
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNANSWERED_MILLISECONDS))
    return options


def _load_of_pod(configuration: Any) -> None:
    from kubernetes.config import ConfigException, load_incluster_config

    try:
        load_incluster_config(configuration)  # type: ignore[no-untyped-call]
    except (ConfigException, OSError) as error:
        raise BadInput(
            f"not running in a pod with a service account ({error}); name a cluster with --kubeconfig FILE, "
            "or a folder of manifests with --manifests DIR"
        ) from error


def _load_of_file(configuration: Any, path: str) -> Headers:
    """Fill `configuration`; return whom its user acts as."""
    from kubernetes.config import ConfigException, load_kube_config

    # The package looks into the file without checking its shape; what it stumbles on says where.
    stumbles = (ConfigException, OSError, ValueError, TypeError, KeyError, AttributeError)
    content = _read_form(path)
    try:
        load_kube_config(  # type: ignore[no-untyped-call]
            config_file=path, client_configuration=configuration, persist_config=False
        )
    except stumbles as error:
        # The package begins some of its texts so; the path stands before it already.
        text = str(error).removeprefix("Invalid kube-config file. ")
        raise BadInput(f"{path}: not a usable kubeconfig: {text}") from error
    if urlsplit(configuration.host).scheme not in ("http", "https"):
        raise BadInput(f"{path}: the server {configuration.host!r} of the cluster is no http(s) address")
    return impersonation(content, path)


def _read_form(path: str) -> Json:
    """Read a kubeconfig. Refuses what the package would report without a line: no file, YAML or mapping."""
    if not os.path.isfile(path):
        raise BadInput(f"{path}: no such kubeconfig file")
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text; a kubeconfig is YAML in UTF-8") from error
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise unreadable(error, text, path) from error
    if not isinstance(content, dict):
        raise BadInput(f"{path}:1: not a kubeconfig, which is a mapping with clusters, contexts and users")
    return content


def _origin(kubeconfig: str | None) -> str:
    return kubeconfig if kubeconfig is not None else "the service account of this pod"
