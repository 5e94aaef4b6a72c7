"""``resourceclass certs``: make, look at and renew certificates by hand, where no cert-manager does it.

The room ``certs`` is imported inside the functions: the other commands must not pay for ``cryptography``.
"""

import argparse
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webhook.cli import certs_show
from webhook.cli.exit_codes import BAD_INPUT, NO, YES

# A year for the server, as long-lived as it may be without being forgotten; ten for the authority, because
# its end means new trust on every client.
DEFAULT_LIFETIME = "365d"
DEFAULT_CA_LIFETIME = "3650d"
CA_NAME = "ResourceClass CA"

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``certs`` with its own subcommands; ``run`` carries them out."""
    parser = subparsers.add_parser(
        "certs",
        help="issue, show and renew the webhook's certificates",
        description="Make, look at and renew certificates by hand, where no cert-manager does it. "
        "What `issue` has made is replaced as a whole by `renew`; a running webhook takes it up by itself.",
    )
    commands = parser.add_subparsers(dest="certs_command", metavar="issue | show | renew", required=True)
    _add_issue(commands)
    _add_show(commands)
    _add_renew(commands)


def run(args: argparse.Namespace) -> int:
    """Carry out a parsed ``certs`` command now; returns the exit code."""
    return run_at(args, datetime.now(UTC))


def run_at(args: argparse.Namespace, now: datetime) -> int:
    """``run`` at a given time: 0 done, 1 refused or a problem found, 2 bad input."""
    from certs.errors import CertificateError, Refused

    commands = {"issue": _issue, "show": certs_show.show, "renew": _renew}
    try:
        return commands[args.certs_command](args, now)
    except CertificateError as error:
        print(f"resourceclass certs {args.certs_command}: {error}", file=sys.stderr)
        return NO if isinstance(error, Refused) else BAD_INPUT


def lifetime(text: str) -> timedelta:
    """``365d``, ``24h`` or ``90m`` as a span of time; a type for argparse."""
    match = re.fullmatch(r"([1-9][0-9]{0,5})([mhd])", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is no lifetime; write it like 365d, 24h or 90m")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _add_issue(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("issue", help="make a CA and a server certificate under it")
    _add_out(parser)
    parser.add_argument(
        "--dns-name",
        action="append",
        default=[],
        metavar="NAME",
        help="a name of the server, like resourceclass-webhook.resourceclass-system.svc; may be repeated",
    )
    parser.add_argument(
        "--ip",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="an address of the server; may be repeated",
    )
    parser.add_argument(
        "--lifetime",
        type=lifetime,
        default=DEFAULT_LIFETIME,
        metavar="SPAN",
        help="how long the server certificate lasts (default: %(default)s)",
    )
    parser.add_argument(
        "--ca-lifetime",
        type=lifetime,
        default=DEFAULT_CA_LIFETIME,
        metavar="SPAN",
        help="how long the CA lasts (default: %(default)s)",
    )


def _add_show(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "show", help="show certificates; exit code 1 when a client would refuse them"
    )
    parser.add_argument(
        "path", type=Path, metavar="DIR|FILE", help="a directory with tls.crt, or a file of certificates"
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text", help="default: text")


def _add_renew(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "renew", help="replace what `certs issue` made, when two thirds of its life are over"
    )
    _add_out(parser)
    parser.add_argument(
        "--lifetime",
        type=lifetime,
        metavar="SPAN",
        help="how long the new server certificate lasts (default: as long as the old one did)",
    )
    parser.add_argument(
        "--force", action="store_true", help="renew the server certificate even if it is not due"
    )


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the directory of ca.crt, ca.key, tls.crt and tls.key",
    )


def _issue(args: argparse.Namespace, now: datetime) -> int:
    from certs import store
    from certs.errors import Refused
    from certs.issue import issue_ca, issue_leaf
    from certs.model import CertificateSet

    ca = issue_ca(CA_NAME, now, args.ca_lifetime)
    leaf = issue_leaf(ca, args.dns_name, now, args.lifetime, args.ip)
    with store.writing(args.out):
        if store.holds_set(args.out):
            raise Refused(
                f"{args.out} already holds certificates; renew them with `resourceclass certs renew --out "
                f"{args.out}`, or choose another directory for a new CA"
            )
        store.write(args.out, CertificateSet(ca.cert, ca.key, leaf.cert, leaf.key))
    print(f"wrote {', '.join(store.FILES)} to {args.out}")
    print(f"tls.crt ends at {_end(leaf.cert)}, ca.crt at {_end(ca.cert)}; ca.key is needed for renewal only")
    return YES


def _renew(args: argparse.Namespace, now: datetime) -> int:
    from certs import store
    from certs.errors import Unreadable
    from certs.inspect import describe
    from certs.renew import due_at, renew

    if not store.holds_set(args.out):
        raise Unreadable(
            f"{args.out} holds nothing that `certs issue` has made; make a CA and a certificate with "
            f"`resourceclass certs issue --out {args.out} --dns-name NAME`"
        )
    with store.writing(args.out):
        current = store.read(args.out)
        renewal = renew(current, now, lifetime=args.lifetime, force=args.force)
        if renewal is None:
            due = due_at(describe(current.cert)[0])
            print(f"nothing to renew: tls.crt is due at {certs_show.utc(due)}; --force renews it now")
            return YES
        store.write(args.out, renewal.certificates)
    print(f"renewed {args.out / store.CERT}, which now ends at {_end(renewal.certificates.cert)}")
    if renewal.rotated_ca:
        print(
            f"the CA was due as well: {args.out / store.CA_BUNDLE} now holds the new and the old one; "
            "give it to the API server (caBundle) before the webhook gets the new tls.crt and tls.key"
        )
    return YES


def _end(cert_pem: bytes) -> str:
    from certs.inspect import describe

    return certs_show.utc(describe(cert_pem)[0].not_after)
