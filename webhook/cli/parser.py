"""The parser of arguments: argparse, with more help for who has mistyped a flag."""

import argparse
import difflib
from collections.abc import Iterable, Sequence
from typing import Any


class Parser(argparse.ArgumentParser):
    """Reports what it does not know itself, with the nearest flag.

    argparse leaves that to the parser at the top, which shows its own usage and knows no flag of a command.
    """

    def parse_known_args(  # type: ignore[override]  # typeshed has overloads for other kinds of namespace
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse, and end with the usage of this parser when something is left over."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(self._about(rest))
        return found, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a command that there is not, by its name alone: argparse would list all of them twice."""
        if action.nargs == argparse.PARSER and action.choices and value not in action.choices:
            raise argparse.ArgumentError(None, f"no such command: {value}{hint(value, action.choices)}")
        super()._check_value(action, value)

    def _about(self, rest: Sequence[str]) -> str:
        flags = [text.partition("=")[0] for text in rest if text.startswith("-")]
        if not flags:
            return f"nothing is expected here: {' '.join(rest)}"
        return f"no such flag: {flags[0]}{hint(flags[0], self._option_string_actions)}"


def hint(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names the nearest of the known names; empty if none is near."""
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
