"""`resourceclass classes`: which classes there are, what of each is free, who waits and who uses them."""

import argparse

from webhook.cli import classes_text
from webhook.cli.exit_codes import NO, YES
from webhook.cli.settings.commands import ClassesSettings
from webhook.cli.settings.reading import add_flags, load


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "classes",
        help="show the classes with their devices, what is free, who waits and who uses them",
        description="Show every class: devices, units that are free, pods that wait, and what each namespace "
        "uses. The cluster is a real one (--kubeconfig, else that of kubectl) or a folder (--manifests). The "
        "exit code is 1 when a class cannot be read or has no device, or when a device is held twice.",
    )
    add_flags(parser, ClassesSettings)


def run(args: argparse.Namespace) -> int:
    """Read, count and print; returns 0 when nothing is wrong with any class."""
    from webhook.cli.sources import reads_of
    from webhook.cli.survey import survey
    from webhook.core.explain.overview import overview

    settings = load(ClassesSettings, args)
    seen = survey(reads_of(settings.cluster))
    entries = [pod.entry for pod in seen.pods]
    found = overview(seen.classes, tuple(seen.nodes.values()), entries, seen.holdings, seen.problems)
    print(classes_text.as_json(found) if settings.output == "json" else classes_text.as_text(found))
    return YES if found.is_fine else NO
