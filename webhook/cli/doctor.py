"""`resourceclass doctor`: what is wrong with a cluster, where, and what to do."""

import argparse
import time
from typing import TYPE_CHECKING, Final

from webhook.cli import doctor_text
from webhook.cli.exit_codes import NO, YES
from webhook.cli.settings.commands import DoctorSettings
from webhook.cli.settings.reading import add_flags, load

if TYPE_CHECKING:
    from webhook.cli.doctor_reading import DoctorReader
    from webhook.core.doctor.checks import Diagnosis

# The controller and kube-controller-manager follow a change within a second or two; lists that are read one
# after the other may each show another side of it.
SETTLE_SECONDS: Final = 5.0


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "doctor",
        help="find what is wrong with a cluster, where, and what to do",
        description="Find what is wrong with a cluster, where, and what to do; nothing is changed. The "
        "cluster is a real one (--kubeconfig, else that of kubectl) or a dump of one (--manifests). The exit "
        "code is 1 when a problem was found, when rights were lacking to look for one, or when "
        "nothing could be checked.",
    )
    add_flags(parser, DoctorSettings)


def run(args: argparse.Namespace) -> int:
    """Read, check and print; returns 0 when nothing is wrong."""
    from webhook.cli.doctor_reading import NOT_ALLOWED, DoctorReader
    from webhook.cli.sources import reads_of

    settings = load(DoctorSettings, args)
    is_folder = bool(settings.cluster.manifests)
    reader = DoctorReader(reads_of(settings.cluster), time.time, is_folder=is_folder)
    found = _diagnosis(reader)
    if found.may_pass and not is_folder:
        time.sleep(SETTLE_SECONDS)
        found = _diagnosis(reader).after(found)
    print(doctor_text.as_json(found) if settings.output == "json" else doctor_text.as_text(found))
    is_fine = found.checks and not found.findings and NOT_ALLOWED not in reader.unread.values()
    return YES if is_fine else NO


def _diagnosis(reader: "DoctorReader") -> "Diagnosis":
    from webhook.core.doctor.checks import diagnose

    facts = reader.read()
    return diagnose(facts, reader.unread)
