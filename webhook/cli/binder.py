"""`resourceclass binder`: serve the scheduler's extender until stopped."""

import argparse
from functools import partial

from webhook.cli.api import api_of, check_source
from webhook.cli.settings.binder import BinderSettings
from webhook.cli.settings.reading import add_flags, load
from webhook.core.errors import BadInput
from webhook.serve.settings import App


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "binder",
        help="serve the scheduler's extender",
        description="Serve a kube-scheduler on loopback: /filter, /prioritize, /preempt and /bind choose the "
        "devices of pods. Probes and metrics on a port beside.",
    )
    add_flags(parser, BinderSettings)


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit code, 1 if the worker could not be started."""
    from webhook.serve.listening import CannotServe
    from webhook.serve.run import serve

    settings = load(BinderSettings, args)
    check_source(settings.cluster)
    try:
        return serve(partial(_make_app, settings), settings.serve)
    except CannotServe as error:
        raise BadInput(str(error)) from error


def _make_app(settings: BinderSettings) -> App:
    """Make the application of the worker, after the fork: its threads and connections are its own."""
    from webhook.binder.app import Verbs, create_app
    from webhook.binder.assembly import LeaseName, assemble
    from webhook.binder.notices import double_allocations
    from webhook.binder.report import MeteredReport
    from webhook.cli.webhook import CacheWatch
    from webhook.serve.memory import keep_for_good
    from webhook.serve.metrics import double_metrics, extender_metrics

    lease = LeaseName(settings.lease_namespace, settings.lease_name, settings.holder)
    parts = assemble(api_of(settings.cluster), lease if settings.lease_name else None)
    metrics = extender_metrics()
    count_caches = CacheWatch(parts.watches)

    def tick() -> None:
        count_caches()
        double_metrics().double_allocations.set(double_allocations(parts.books))
        if not parts.not_synced():
            keep_for_good()

    parts.start()
    wsgi = create_app(
        Verbs(parts.books, parts.binder),
        parts.fence,
        parts.not_synced,
        MeteredReport(metrics),
        max_body_bytes=settings.serve.max_body_bytes,
    )
    return App(wsgi, ready=parts.not_synced, tick=tick, close=parts.close)
