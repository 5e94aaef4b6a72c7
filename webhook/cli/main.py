"""The command `resourceclass`: which part to run, and what its end means for the exit code."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Final, Protocol

from webhook.cli import binder, certs, check, classes, controller, doctor, explain, webhook
from webhook.cli.exit_codes import BAD_INPUT, INTERRUPTED, UNREACHABLE
from webhook.cli.options import BadSettings
from webhook.cli.parser import Parser
from webhook.core.errors import BadInput, ClusterUnavailable


class Command(Protocol):
    """What a module of this room offers for one command."""

    def add_parser(self, subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        """Add the command and its flags."""

    def run(self, args: argparse.Namespace) -> int:
        """Carry out the parsed command; returns the exit code."""


_COMMANDS: Final[Mapping[str, Command]] = {
    "webhook": webhook,
    "binder": binder,
    "controller": controller,
    "check": check,
    "explain": explain,
    "classes": classes,
    "doctor": doctor,
    "certs": certs,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    args = _parser().parse_args(argv)
    name = f"resourceclass {args.command}"
    try:
        return _COMMANDS[args.command].run(args)
    except BadSettings as error:
        return _failed(name, error.problems, BAD_INPUT)
    except BadInput as error:
        return _failed(name, str(error).splitlines(), BAD_INPUT)
    except ClusterUnavailable as error:
        return _failed(name, [str(error)], UNREACHABLE)
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = Parser(
        prog="resourceclass",
        description="Device classes for Kubernetes: request a GPU model as you request cpu and memory.",
        epilog="Exit codes: 0 yes, 1 no or refused, 2 bad input or usage, 3 the cluster cannot be reached.",
    )
    version = f"%(prog)s {metadata.version('resourceclass')}"
    parser.add_argument("--version", action="version", version=version)
    subparsers = parser.add_subparsers(dest="command", metavar=" | ".join(_COMMANDS), required=True)
    for command in _COMMANDS.values():
        command.add_parser(subparsers)
    return parser


def _failed(name: str, lines: Sequence[str], code: int) -> int:
    for line in lines:
        print(f"{name}: {line}", file=sys.stderr)
    return code
