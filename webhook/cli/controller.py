"""`resourceclass controller`: keep classes, nodes and devices up to date until stopped."""

import argparse
import socket
import uuid
from functools import partial
from typing import TYPE_CHECKING

from webhook.cli.api import api_of, check_source
from webhook.cli.settings.controller import ControllerSettings
from webhook.cli.settings.reading import add_flags, load
from webhook.core.errors import BadInput

if TYPE_CHECKING:
    from webhook.controller.assembly import Options
    from webhook.serve.background import Background


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "controller",
        help="keep classes, nodes and devices up to date",
        description="Keep up to date what users ask for: a class per model of device, labels and capacity of "
        "nodes, devices of nodes with labels only, statuses, default quotas. Probes and metrics on a port.",
    )
    add_flags(parser, ControllerSettings)


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; returns the exit code."""
    from webhook.serve.background import run_background
    from webhook.serve.listening import CannotServe

    settings = load(ControllerSettings, args)
    check_source(settings.cluster)
    try:
        return run_background(partial(_make, settings), settings.serve)
    except CannotServe as error:
        raise BadInput(str(error)) from error


def _make(settings: ControllerSettings) -> "Background":
    from webhook.cli.webhook import CacheWatch
    from webhook.controller.assembly import assemble
    from webhook.controller.meter import Meter
    from webhook.serve.background import Background
    from webhook.serve.metrics import controller_metrics

    made = assemble(api_of(settings.cluster), _options(settings), controller_metrics())
    controller = made.controller
    meter, count_caches = Meter(controller, made.counts), CacheWatch(controller.watches)

    def tick() -> None:
        count_caches()
        meter()

    return Background(controller.start, lambda: list(controller.not_ready()), tick, controller.close)


def _options(settings: ControllerSettings) -> "Options":
    from webhook.controller.assembly import Options

    return Options(
        # As in client-go: a process that was killed is not taken for the one that follows it on its machine.
        identity=f"{settings.identity or socket.gethostname()}_{uuid.uuid4()}",
        lease_namespace=settings.lease_namespace,
        lease_name=settings.lease_name,
        threads=settings.threads,
        resync_seconds=settings.resync_seconds,
        double_allocations=settings.double_allocations,
        remove_unused_classes=settings.remove_unused_classes,
    )
