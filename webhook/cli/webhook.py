"""`resourceclass webhook`: serve admission over a cluster or a folder of manifests until stopped."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from webhook.cli.api import check_source
from webhook.cli.settings.cluster import ClusterSettings
from webhook.cli.settings.reading import add_flags, load
from webhook.cli.settings.webhook import WebhookSettings
from webhook.core.errors import BadInput
from webhook.serve.settings import App

if TYPE_CHECKING:
    from webhook.admission.ports import Cluster
    from webhook.core.outcome import Outcome
    from webhook.wire.review import Request


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "webhook",
        help="serve the admission webhook",
        description="Serve admission: /mutate and /validate over TLS, probes and metrics on a port beside.",
    )
    add_flags(parser, WebhookSettings)


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit code, 1 if no worker could be started."""
    from certs.inspect import not_after
    from webhook.serve.listening import CannotServe
    from webhook.serve.run import serve

    settings = load(WebhookSettings, args)
    check_source(settings.cluster)
    try:
        return serve(partial(_make_app, settings), settings.serve, not_after=not_after)
    except CannotServe as error:
        raise BadInput(str(error)) from error


def _make_app(settings: WebhookSettings) -> App:
    """Make the application of one worker, after the fork: its threads and connections are its own."""
    from webhook.admission.app import create_app
    from webhook.admission.engine import Engine
    from webhook.admission.report import LoggedReport
    from webhook.serve.metrics import admission_metrics, server_metrics

    opened = _open(settings.cluster)
    report = LoggedReport(admission_metrics(), server_metrics(), opened.tell)
    engine = Engine(opened.cluster, settings.pods)
    wsgi = create_app(engine, report, max_body_bytes=settings.serve.max_body_bytes)
    return App(wsgi, ready=lambda: list(opened.cluster.not_ready()), tick=opened.tick, close=opened.close)


def _nothing() -> None:
    """A folder has no watches to tell of."""


class _Opened(NamedTuple):
    """A cluster with what belongs to it."""

    cluster: "Cluster"
    tick: Callable[[], None] = _nothing
    """Refreshes its metrics."""
    close: Callable[[], None] = _nothing
    tell: "Callable[[Request, Outcome], None] | None" = None
    """Tells others than the requester of a refusal."""


def _open(source: ClusterSettings) -> _Opened:
    if source.manifests:
        from webhook.cluster.folder import FolderCluster

        return _Opened(FolderCluster(source.manifests))
    from webhook.admission.events import Events
    from webhook.cluster.connection import Connection
    from webhook.cluster.events import QuotaEvents
    from webhook.cluster.live import LiveCluster
    from webhook.serve.metrics import event_metrics

    connection = Connection(source.kubeconfig or None)
    live = LiveCluster(connection)
    events = Events(QuotaEvents(connection, live.quota_uid), event_metrics().count)
    live.start()
    events.start()

    def close() -> None:
        events.close()
        live.close()

    return _Opened(live, CacheWatch(live), close, events.tell)


class Watched(Protocol):
    """What is watched of a cluster, by kind."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds."""

    def age_seconds(self, kind: str) -> float | None:
        """Return the seconds since the API server confirmed a kind; None before its first list."""

    def lists(self, kind: str) -> int:
        """Return how many complete lists of a kind were read."""


class CacheWatch:
    """Brings the metrics of the watched caches up to now."""

    def __init__(self, live: Watched) -> None:
        from webhook.serve.metrics import cache_metrics

        self._live = live
        self._metrics = cache_metrics()
        self._counted = dict.fromkeys(live.kinds, 0)

    def __call__(self) -> None:
        for kind in self._live.kinds:
            age = self._live.age_seconds(kind)
            if age is not None:
                self._metrics.age_seconds.labels(kind=kind).set(age)
            lists = self._live.lists(kind)
            self._metrics.relists.labels(kind=kind).inc(lists - self._counted[kind])
            self._counted[kind] = lists
